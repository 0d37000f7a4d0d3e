// The runbooks of the alerts: each alert has one, their links lead somewhere, and every command in them works.
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkMasterKey } from '../../src/actions/upkeep/check-master-key.ts';
import { startService, type TestService } from '../../harness/service/service.ts';
import { readDoc } from '../docs/section.ts';
import { runCommand } from '../processes/command-line.ts';
import { listExportedMetrics } from './exported-metrics.ts';
import { findUnknownNames } from './promql.ts';
import { listAlerts } from './rules-file.ts';

const ALERTS = listAlerts();
const SECTIONS = ['What it means', 'What users notice', 'What to look at', 'What to do'];
const ROOT = path.join(import.meta.dirname, '..', '..');
const CASE_ID = '00000000-0000-7000-8000-00000000000a';

let service: TestService;
let folder: string;
let exported: ReadonlyMap<string, ReadonlySet<string>>;
let variables: Record<string, string>;

beforeAll(async () => {
  exported = await listExportedMetrics();
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-runbooks-'));
  service = await startService({ roles: ['api'] });
  await checkMasterKey(service.app.db, service.app.vault);
  const receiver = { url: (name: string) => `https://localhost:9443${name}` };
  const restaurant = await service.addRestaurant({ receiver });
  variables = { RESTAURANT: restaurant.restaurantId, CASE: CASE_ID, BACKUP: path.join(folder, 'backup.gz') };
  await service.app.db.query(
    `with outage as (
       insert into failing_spells (id, restaurant_id, endpoint, failing_since, told_at)
       values ($1, $2, 'status', now(), now())
     )
     insert into support_cases (id, restaurant_id, endpoint, spell_id, failing_since, opened_at)
     values ($1, $2, 'status', $1, now(), now())`,
    [CASE_ID, restaurant.id],
  );
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The code blocks in a language, without the indentation of lists. */
function listBlocks(page: string, language: string): string[] {
  const blocks = readDoc(page).matchAll(new RegExp(`^( *)\`\`\`${language}\n(.*?)^ *\`\`\`$`, 'gms'));
  return [...blocks].map(([, indent = '', text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim());
}

const linesOf = (page: string, language: string): string[] =>
  listBlocks(page, language).flatMap((block) => block.split('\n'));

const PAGES = ALERTS.map(({ runbook }) => runbook);

test('every alert has a runbook of its own, and every runbook belongs to an alert', async () => {
  const files = (await readdir(path.join(ROOT, 'docs', 'runbooks'))).map((name) => `docs/runbooks/${name}`);
  expect(PAGES.toSorted()).toEqual(files.toSorted());
});

test.each(ALERTS)('the runbook of $name has its name and all sections', ({ name, runbook }) => {
  const headings = [...readDoc(runbook).matchAll(/^(#+) (.+)$/gm)].map(([, marks, title]) => `${marks} ${title}`);
  expect(headings).toEqual([`# ${name}`, ...SECTIONS.map((section) => `## ${section}`)]);
});

test.each(PAGES)('every link in %s has a target', (page) => {
  for (const [, link = ''] of readDoc(page).matchAll(/\]\(((?!https?:)[^)]+)\)/g)) {
    const [file = '', anchor] = link.split('#');
    const target = path.join(path.dirname(page), file);
    expect([link, existsSync(path.join(ROOT, target))]).toEqual([link, true]);
    if (anchor === undefined) continue;
    const anchors = [...readDoc(target).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
    expect([link, anchors.includes(anchor)]).toEqual([link, true]);
  }
});

describe('commands', () => {
  test('every code block is in a language that these tests run', () => {
    const languages = PAGES.flatMap((page) => [...readDoc(page).matchAll(/^ *```(\w+)$/gm)].map(([, name]) => name));
    expect(new Set(languages)).toEqual(new Set(['sh', 'promql', 'sql']));
  });

  test.each(PAGES)('expressions in %s read only metrics and labels that the service exports', (page) => {
    for (const expression of linesOf(page, 'promql')) expect(findUnknownNames(expression, exported)).toEqual([]);
  });

  test.each(PAGES)('SQL in %s runs on the current schema', async (page) => {
    for (const statement of listBlocks(page, 'sql')) await service.app.db.query(statement);
  });

  test.each(PAGES)('shell commands in %s succeed', async (page) => {
    const env = {
      DATABASE_URL: service.databaseUrl,
      WAYBILL_MASTER_KEY: service.masterKey.toString('base64'),
    };
    for (const line of linesOf(page, 'sh')) {
      const [, address] = /^curl -sS http:\/\/127\.0\.0\.1:8080(\/\w+)$/.exec(line) ?? [];
      if (address !== undefined) {
        expect([line, (await fetch(`${service.address}${address}`)).status]).toEqual([line, 200]);
        continue;
      }
      const [, command = ''] = /^npm run waybill -- (.+)$/.exec(line) ?? [];
      const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
      const args = words.map((word) => (word.startsWith('$') ? (variables[word.slice(1)] ?? word) : word));
      expect({ line, ...(await runCommand(env, args)) }).toMatchObject({ line, code: 0 });
    }
  });
});
