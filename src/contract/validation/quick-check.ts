// A fast check that a value is valid, compiled from its schema. Every order is checked here, and nearly every one is
// valid; zod, which can explain what is wrong, costs several times as much and only checks the rest.
import type { z } from 'zod';

/** True: the schema accepts the value. False: it may not, check with the schema. */
export type QuickCheck = (value: unknown) => boolean;

type Kind = z.core.$ZodTypes['_zod']['def'];

const ask: QuickCheck = () => false;

/** How to treat unknown fields: as valid, like zod, or as something to check with zod. */
export type UnknownFields = 'right' | 'ask';

/** Supports the schema types that orders consist of, and returns "ask" for any other. */
export function compileQuickCheck(schema: z.core.$ZodType, unknown: UnknownFields): QuickCheck {
  const def = kindOf(schema);
  return (def.checks ?? []).map(compileRule).reduce(both, compileType(def, unknown));
}

function both(first: QuickCheck, second: QuickCheck): QuickCheck {
  return (value) => first(value) && second(value);
}

// A schema's own definition, as zod documents it for library authors; its type is the union of all kinds.
function kindOf(schema: z.core.$ZodType): Kind {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- zod's own union of all kinds
  return schema._zod.def as Kind;
}

function compileType(def: Kind, unknown: UnknownFields): QuickCheck {
  switch (def.type) {
    case 'object':
      return def.catchall === undefined ? compileObject(def.shape, unknown) : ask;
    case 'optional': {
      const inner = compileQuickCheck(def.innerType, unknown);
      return (value) => value === undefined || inner(value);
    }
    case 'string':
      return 'format' in def ? ask : (value) => typeof value === 'string';
    case 'number':
      return compileNumber('format' in def ? def.format : undefined);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'enum': {
      const entries = new Set<unknown>(Object.values(def.entries));
      return (value) => entries.has(value);
    }
    case 'array': {
      const element = compileQuickCheck(def.element, unknown);
      return (value) => Array.isArray(value) && value.every((each) => element(each));
    }
    case 'pipe':
      return both(compileQuickCheck(def.in, unknown), compileQuickCheck(def.out, unknown));
    case 'record': {
      const [key, member] = [compileQuickCheck(def.keyType, unknown), compileQuickCheck(def.valueType, unknown)];
      return (value) => isPlainObject(value) && Object.keys(value).every((name) => key(name) && member(value[name]));
    }
    case 'unknown':
      return () => true;
    default:
      return ask;
  }
}

function compileObject(shape: Readonly<Record<string, z.core.$ZodType>>, unknown: UnknownFields): QuickCheck {
  const members = new Map(Object.entries(shape).map(([name, member]) => [name, compileQuickCheck(member, unknown)]));
  const required = Object.keys(shape).filter((name) => members.get(name)?.(undefined) !== true);
  // Iterates over the fields that were sent, because orders use few of the many possible fields.
  return (value) => {
    if (!isPlainObject(value)) return false;
    for (const name of required) if (!Object.hasOwn(value, name)) return false;
    for (const name in value) {
      const member = members.get(name);
      if (member === undefined ? unknown === 'ask' : !member(value[name])) return false;
    }
    return true;
  };
}

function compileNumber(format: unknown): QuickCheck {
  if (format === undefined) return (value) => typeof value === 'number' && Number.isFinite(value);
  return format === 'safeint' ? Number.isSafeInteger : ask;
}

function compileRule(check: z.core.$ZodCheck): QuickCheck {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- zod's own union of all checks, as above
  const def = check._zod.def as z.core.$ZodChecks['_zod']['def'];
  switch (def.check) {
    case 'greater_than':
      return (value) => (def.inclusive ? Number(value) >= Number(def.value) : Number(value) > Number(def.value));
    case 'less_than':
      return (value) => (def.inclusive ? Number(value) <= Number(def.value) : Number(value) < Number(def.value));
    case 'max_length':
      return (value) => Array.isArray(value) && value.length <= def.maximum;
    case 'number_format':
      return def.format === 'safeint' ? Number.isSafeInteger : ask;
    default:
      return compileRefinement(def);
  }
}

function compileRefinement(def: object): QuickCheck {
  const refine: unknown = 'fn' in def ? def.fn : undefined;
  return typeof refine === 'function' ? (value) => refine(value) === true : ask;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
