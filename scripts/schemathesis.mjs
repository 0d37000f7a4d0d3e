// `npm run schemathesis`: generates requests from the OpenAPI document of a real service and checks that each answer is
// documented and none is a 5xx. Schemathesis is a Python program, so it is not among the dependencies.
import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const RESTAURANT = 'fuzz';
/** Higher than any run can reach: 429 would hide all other answers. */
const RATE_LIMIT = 1_000_000;
const DEFAULT_CASES = 10_000;
const START_LIMIT_MS = 90_000;
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];
/**
 * Generating one order takes Schemathesis about a hundred times as long as generating any other request, and its coverage
 * phase alone makes 1,300 of them.
 */
const ORDER_SHARE = 0.1;
const MAX_ROUNDS = 10;
/** The exit code by which test tools recognize a skipped test. */
const SKIPPED = 77;
const MISSING = `Skipped: Schemathesis is not installed. Install it and put it on the PATH, or name it in SCHEMATHESIS:
  python3 -m venv ~/.venvs/schemathesis && ~/.venvs/schemathesis/bin/pip install schemathesis
  SCHEMATHESIS=~/.venvs/schemathesis/bin/schemathesis npm run schemathesis`;

async function main() {
  const { values } = parseArgs({ options: { cases: { type: 'string' }, seed: { type: 'string' } } });
  const cases = Number(values.cases ?? DEFAULT_CASES);
  if (!Number.isSafeInteger(cases) || cases < 1) throw new Error('--cases must be a positive integer');
  const program = process.env.SCHEMATHESIS ?? 'schemathesis';
  const version = spawnSync(program, ['--version'], { encoding: 'utf8' });
  if (version.status !== 0) {
    console.error(MISSING);
    return SKIPPED;
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-schemathesis-'));
  // If root starts this, the embedded database runs as another user.
  await chmod(folder, 0o711);
  const service = await startService(folder);
  try {
    await service.isReady();
    console.log(`${version.stdout.trim()} against ${service.address}, ${cases} cases at least`);
    return await fuzz({ program, folder, service, cases, seed: values.seed });
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function startService(folder) {
  const port = await findFreePort();
  const address = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    WAYBILL_DATA_DIR: path.join(folder, 'data'),
    WAYBILL_PORT: String(port),
    WAYBILL_ENVIRONMENT: 'test',
    WAYBILL_DEMO: 'off',
  };
  delete env.DATABASE_URL;
  const options = { cwd: root, env };
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  const failures = collectFailures(child.stdout);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return {
    address,
    failures,
    async isReady() {
      const until = Date.now() + START_LIMIT_MS;
      while (!(await isOk(`${address}/readyz`))) {
        if (child.exitCode !== null || Date.now() > until) throw new Error('The service did not start');
        await pause(100);
      }
    },
    /** Runs a command and returns what it prints with --json. */
    run(...command) {
      const args = ['src/main.ts', ...command, '--json'];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { ...options, encoding: 'utf8' });
      if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
      return JSON.parse(stdout);
    },
    async stop() {
      if (child.exitCode === null) child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Collects log lines of level error: a request may succeed and still break a worker behind it. */
function collectFailures(stream) {
  const failures = [];
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    failures.push(...lines.filter((line) => /"level":("error"|50)/.test(line)));
  });
  return failures;
}

function findFreePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function isOk(url) {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function fuzz({ program, folder, service, cases, seed }) {
  const settings = ['--name', 'Fuzz', '--timezone', 'Europe/Istanbul', '--rate-limit', String(RATE_LIMIT)];
  service.run('restaurant', 'add', '--restaurant-id', RESTAURANT, ...settings);
  const { apiKey } = service.run('key', 'create', '--restaurant', RESTAURANT);
  const document = await (await fetch(`${service.address}/openapi.json`)).json();
  const orderIds = await placeOrders(service.address, apiKey);
  const schemaFile = path.join(folder, 'openapi.json');
  await writeFile(schemaFile, JSON.stringify(aimAt(document, orderIds)));
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const orders = { filter: { '--include-operation-id': 'placeOrder' }, examples: cases * ORDER_SHARE };
  const others = {
    filter: { '--exclude-operation-id': 'placeOrder' },
    examples: (cases * (1 - ORDER_SHARE)) / (operations.length - 1),
  };
  const statuses = [];
  const reports = [];
  const run = async ({ filter, examples }) => {
    const report = path.join(folder, `${reports.length}.ndjson`);
    const options = {
      ...filter,
      '--url': service.address,
      '--header': `X-API-Key: ${apiKey}`,
      '--checks': CHECKS.join(','),
      '--phases': 'examples,coverage,fuzzing',
      '--mode': 'all',
      '--max-examples': Math.ceil(examples),
      // Invented credentials would replace the key, and nothing would get past 401.
      '--generation-with-security-parameters': false,
      '--generation-database': 'none',
      '--suppress-health-check': 'all',
      '--warnings': 'off',
      '--report': 'ndjson',
      '--report-ndjson-path': report,
      ...(seed !== undefined && { '--seed': BigInt(seed) + BigInt(reports.length) }),
    };
    const args = [
      'run',
      schemaFile,
      '--continue-on-failure',
      '--no-color',
      ...Object.entries(options).flat().map(String),
    ];
    statuses.push(await runProgram(program, args, folder));
    reports.push(await readFile(report, 'utf8'));
    return count(reports);
  };
  let total = await run(orders);
  // Schemathesis stops early if it finds no new requests, so it is repeated with another seed until there are enough.
  for (let round = 0; round < MAX_ROUNDS && total < cases; round += 1) total = await run(others);
  return judge({ counts: countAnswers(reports.join('')), statuses, failures: service.failures, cases });
}

function count(reports) {
  return [...countAnswers(reports.join('')).values()].reduce((sum, next) => sum + next, 0);
}

function judge({ counts, statuses, failures, cases }) {
  console.log(`Requests by status: ${[...counts].map(([code, count]) => `${code}: ${count}`).join(', ')}`);
  const total = [...counts.values()].reduce((sum, next) => sum + next, 0);
  console.log(`${total} cases, ${failures.length} errors in the service's log`);
  for (const line of failures.slice(0, 5)) console.log(line);
  if (total < cases) throw new Error(`Only ${total} of ${cases} cases were run`);
  return statuses.some((status) => status !== 0) || failures.length > 0 ? 1 : 0;
}

async function placeOrders(address, apiKey) {
  const ids = ['fuzz-1', 'fuzz-2', 'fuzz-3'];
  for (const orderId of ids) {
    const answer = await fetch(`${address}/webhook/third-party/order`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ orderId, restaurantId: RESTAURANT, dropoff: { address: { line1: 'Moda Caddesi 12' } } }),
    });
    if (answer.status !== 201) throw new Error(`Order not placed: ${await answer.text()}`);
  }
  return ids;
}

/** With random ids alone every order would be refused with 403 and every read with 404. */
function aimAt(document, orderIds) {
  const copy = structuredClone(document);
  Object.assign(copy.components.schemas.Order.properties.restaurantId, { enum: [RESTAURANT] });
  for (const item of Object.values(copy.paths)) {
    for (const { parameters = [] } of Object.values(item)) {
      for (const parameter of parameters.filter(({ name }) => name === 'orderId')) {
        parameter.schema = { anyOf: [{ enum: orderIds }, parameter.schema] };
      }
    }
  }
  return copy;
}

/** Schemathesis writes its own files to its working directory. */
function runProgram(program, args, cwd) {
  return new Promise((resolve, reject) => {
    spawn(program, args, { cwd, stdio: 'inherit' }).once('error', reject).once('exit', resolve);
  });
}

function countAnswers(report) {
  const counts = new Map();
  for (const [, code] of report.matchAll(/"status_code": ?(\d{3})/g)) counts.set(code, (counts.get(code) ?? 0) + 1);
  return new Map([...counts].toSorted(([one], [other]) => one.localeCompare(other)));
}

process.exitCode = await main();
