// Calls one route in every role with own, foreign and absent ids, and reports each foreign value that is returned, each
// foreign row that changes, and each difference between the answers for a foreign and for an absent id.
import type { TestService } from '../../harness/service/service.ts';
import { becomePerson, PEOPLE, send, type Answer, type Person, type Request } from './people.ts';
import { admits, buildRequest, inventLike, listKinds, listPathKinds, makeSome, type TriedRoute } from './requests.ts';
import type { Example } from './route-examples.ts';
import { ID_KINDS, openTenant, ORDER_STAGES, type IdKind, type Ids, type OrderStage, type Tenant } from './tenant.ts';
import { compareRows, listIdsIn, readTenantRows, type TenantRows } from './tenant-rows.ts';

export interface Matrix {
  service: TestService;
  own: Tenant;
  people: Person[];
  foreign: {
    tenant: Tenant;
    ids: Record<OrderStage, Ids>;
    rows: TenantRows;
    /** Strings that no answer to another tenant may contain. */
    hidden: string[];
    orderNumbers: string[];
  };
}

/**
 * The foreign tenant is created by a service that stops before the matrix starts: it writes what it does in the background
 * (last use of keys, leases) while stopping, so later changes are caused by requests.
 */
export async function openMatrix(
  start: () => Promise<TestService>,
  before: () => Promise<TestService>,
): Promise<Matrix> {
  const founding = await before();
  const { tenant, ids } = await openForeign(founding);
  await founding.stop();
  const service = await start();
  const { db } = service.app;
  const own = await openTenant(service, 'Native');
  const people = await Promise.all(PEOPLE.map((name) => becomePerson(service, own, name)));
  const rows = await readTenantRows(db, tenant.restaurant.id);
  const orders = await db.query<{ number: string }>(
    'select order_number::text as number from orders where restaurant_id = $1',
    [tenant.restaurant.id],
  );
  const hidden = [tenant.mark, tenant.mark.toLowerCase(), ...listIdsIn(rows)];
  const orderNumbers = orders.map(({ number }) => number);
  return { service, own, people, foreign: { tenant, ids, rows, hidden, orderNumbers } };
}

async function openForeign(service: TestService): Promise<{ tenant: Tenant; ids: Record<OrderStage, Ids> }> {
  const tenant = await openTenant(service, 'Foreign');
  await becomePerson(service, tenant, 'owner');
  const shared = (await makeSome(tenant, ID_KINDS, { stage: 'approved' })) as Ids;
  const stages: Partial<Record<OrderStage, Ids>> = {};
  for (const stage of ORDER_STAGES) stages[stage] = await makeOrderIds(tenant, stage, shared);
  await service.app.db.query(`select nextval('attempt_ids')`);
  return { tenant, ids: stages as Record<OrderStage, Ids> };
}

async function makeOrderIds(tenant: Tenant, stage: OrderStage, shared: Ids): Promise<Ids> {
  const make = (kind: IdKind) => tenant.make(kind, { stage });
  return {
    ...shared,
    orderId: await make('orderId'),
    providerOrderId: await make('providerOrderId'),
    orderNumber: await make('orderNumber'),
  };
}

/** One line per defect. */
export async function tryRoute(matrix: Matrix, route: TriedRoute, examples: readonly Example[]): Promise<string[]> {
  const findings: string[] = [];
  for (const [index, example] of examples.entries()) {
    const kinds = listKinds(route, example);
    const found = [
      ...(await tryStrangers(matrix, { route, example, kinds })),
      ...(await tryOwn(matrix, { route, example, kinds })),
      ...(await tryMismatched(matrix, { route, example, kinds })),
      ...(await findChanges(matrix, example)),
    ];
    findings.push(...found.map((finding) => `example ${index + 1}: ${finding}`));
  }
  return findings;
}

interface Trial {
  route: TriedRoute;
  example: Example;
  kinds: readonly IdKind[];
}

async function tryStrangers(matrix: Matrix, trial: Trial): Promise<string[]> {
  const { route, example, kinds } = trial;
  // Operators may see every tenant, so an operator's route has no foreign data.
  const strangers = matrix.people.filter((person) => person.name !== 'operator' || !admits(route, person));
  // Routes without a session check are called by two roles only: signing in costs a password hash per request.
  const asked = route.roles === 'anyone' ? strangers.filter((person) => admits(route, person)) : strangers;
  const findings = await Promise.all(
    asked.map(async (person) => {
      const found: string[] = [];
      for (const kind of kinds) {
        const { foreign, absent } = await askBoth(matrix, trial, { person, kind });
        const who = `${person.name} with ${kind}`;
        found.push(...findLeaks(matrix, foreign).map((leak) => `${who} (foreign) receives ${leak}`));
        if (example.distinguishes?.kind === kind) continue;
        const [first, second] = [describe(foreign), describe(absent)];
        if (first !== second) found.push(`${who}: foreign gets ${first}, absent gets ${second}`);
      }
      return found;
    }),
  );
  return findings.flat();
}

interface Tried {
  request: Request;
  answer: Answer;
  ids: Partial<Ids>;
}

async function askBoth(
  matrix: Matrix,
  trial: Trial,
  { person, kind }: { person: Person; kind: IdKind },
): Promise<{ foreign: Tried; absent: Tried }> {
  const foreignId = matrix.foreign.ids[trial.example.stage ?? 'new'][kind];
  const others = trial.kinds.filter((other) => other !== kind);
  const ask = async (id: string): Promise<Tried> => {
    // A rejected caller changes nothing, so any ids do.
    const ids = admits(trial.route, person)
      ? await makeOwn(matrix, { ...trial, kinds: others }, person)
      : matrix.foreign.ids.new;
    return askWith(matrix, trial, { person, ids: { ...ids, [kind]: id } });
  };
  return { foreign: await ask(foreignId), absent: await ask(inventLike(kind, foreignId)) };
}

async function tryOwn(matrix: Matrix, trial: Trial): Promise<string[]> {
  const { route, example } = trial;
  const findings: string[] = [];
  const answers: Tried[] = [];
  const people =
    example.uses === undefined
      ? matrix.people.filter((person) => admits(route, person))
      : [await becomePerson(matrix.service, matrix.own, example.uses)];
  for (const person of people) {
    const tried = await askWith(matrix, trial, { person, ids: await makeOwn(matrix, trial, person) });
    answers.push(tried);
    if (person.name === 'operator') continue;
    findings.push(...findLeaks(matrix, tried).map((leak) => `${person.name} receives ${leak}`));
  }
  const isReached = answers.some(({ answer }) => answer.status < 300);
  if (!isReached && example.unreached === undefined) {
    findings.push(`no role succeeds with its own ids: ${answers.map(describe).join(' | ')}`);
  }
  if (isReached && example.unreached !== undefined) findings.push('succeeds although the example says that it cannot');
  return findings;
}

/** Ids of the same tenant that exist and do not belong together: an order, and an event of another order. */
async function tryMismatched(matrix: Matrix, trial: Trial): Promise<string[]> {
  const [owner, ...owned] = listPathKinds(trial.route);
  if (owner === undefined || owned.length === 0) return [];
  const findings: string[] = [];
  for (const person of matrix.people.filter((candidate) => admits(trial.route, candidate))) {
    const ids = await makeOwn(matrix, trial, person);
    const other = await matrix.own.makeAnother(owner, { stage: trial.example.stage ?? 'new' });
    const ask = async (changed: Partial<Ids>): Promise<string> =>
      describe(await askWith(matrix, trial, { person, ids: { ...ids, ...changed } }));
    const mismatched = await ask({ [owner]: other });
    for (const kind of [owner, ...owned]) {
      const absent = await ask({ [kind]: inventLike(kind, ids[kind] ?? '') });
      if (mismatched === absent) continue;
      findings.push(
        `${person.name}: ids that do not belong together get ${mismatched}, an absent ${kind} gets ${absent}`,
      );
    }
  }
  return findings;
}

function makeOwn(matrix: Matrix, { kinds, example }: Trial, { courierId }: Person): Promise<Partial<Ids>> {
  return makeSome(matrix.own, kinds, { stage: example.stage ?? 'new', courierId });
}

async function askWith(
  { service }: Matrix,
  { route, example }: Trial,
  { person, ids }: { person: Person; ids: Partial<Ids> },
): Promise<Tried> {
  const request = buildRequest(route, example, ids);
  return { request, answer: await send(service.address, person, request), ids };
}

/** An answer may repeat what the request contained. */
export function findLeaks({ foreign }: Matrix, { answer, request }: Tried): string[] {
  const sent = decodeURIComponent(`${request.path} ${JSON.stringify(request.body)} ${JSON.stringify(request.headers)}`);
  const text = `${answer.text} ${JSON.stringify(answer.headers)}`;
  const numbers = new Set(text.match(/(?<![\d.])\d{6,}(?![\d.])/g));
  return [
    ...foreign.hidden.filter((hidden) => text.includes(hidden)),
    ...foreign.orderNumbers.filter((number) => numbers.has(number)),
  ].filter((leak) => !sent.includes(leak));
}

async function findChanges(matrix: Matrix, { touches = [] }: Example): Promise<string[]> {
  const { foreign, service } = matrix;
  const after = await readTenantRows(service.app.db, foreign.tenant.restaurant.id);
  const changed = compareRows(foreign.rows, after);
  // The next route starts from here and is not blamed for this one.
  foreign.rows = after;
  return changed.filter((table) => !touches.includes(table)).map((table) => `foreign rows changed in ${table}`);
}

const UNLIKE = new Set(['date', 'keep-alive']);

/** Ids and times are replaced by placeholders, because they differ between two otherwise equal answers. */
function describe({ answer, ids }: Tried): string {
  const headers = Object.entries(answer.headers).filter(([name]) => !UNLIKE.has(name));
  let text = `${answer.status} ${answer.text} ${JSON.stringify(headers.toSorted())}`;
  // Short numbers also occur inside other values.
  for (const [kind, id] of Object.entries(ids)) if (id.length > 5) text = text.replaceAll(id, `<${kind}>`);
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, '<time>')
    .replaceAll(/^id: .*$/gm, 'id: <place>');
}
