// Which metrics and labels an expression of PromQL uses. Prometheus checks the syntax; this only needs to find names.

const KEYWORDS = new Set([
  'and',
  'or',
  'unless',
  'bool',
  'offset',
  'by',
  'without',
  'on',
  'ignoring',
  'group_left',
  'group_right',
]);

export interface UsedNames {
  metrics: string[];
  /** Labels in selectors, and those by which results are grouped or matched. */
  labels: string[];
}

export function findUsedNames(expression: string): UsedNames {
  const text = expression.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').replaceAll(/\[[^\]]*\]/g, '');
  const labels: string[] = [];
  const withoutSelectors = text.replaceAll(/\{([^}]*)\}/g, (_, selector: string) => {
    labels.push(...[...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label));
    return '';
  });
  const withoutGroups = withoutSelectors.replaceAll(
    /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g,
    (_, group: string) => {
      labels.push(...(group.match(/\w+/g) ?? []));
      return '';
    },
  );
  // A name before a parenthesis is a function; a duration after `offset` begins with a digit.
  const names = [...withoutGroups.matchAll(/(?<![\w.])([a-zA-Z_:][\w:]*)(?!\w|\s*\()/g)].map(([, name = '']) => name);
  return { metrics: names.filter((name) => !KEYWORDS.has(name)), labels };
}

/** Targets in Kubernetes have it; the service does not export it. */
const OF_TARGETS = ['pod'];

/** What an expression uses and the service does not export, in words. */
export function findUnknownNames(expression: string, exported: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const { metrics, labels } = findUsedNames(expression);
  const known = new Set([...OF_TARGETS, ...metrics.flatMap((name) => [...(exported.get(name) ?? [])])]);
  return [
    ...metrics.filter((name) => !exported.has(name)).map((name) => `no metric ${name}`),
    ...labels.filter((label) => !known.has(label)).map((label) => `no label ${label}`),
  ];
}
