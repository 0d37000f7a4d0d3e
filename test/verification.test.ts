import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { signBody } from '../src/webhooks/client/sign.ts';
import { readDoc, readSection } from './docs/section.ts';

const FOLDER = fileURLToPath(new URL('../docs/verify/', import.meta.url));
const VECTORS = join(FOLDER, 'vectors.json');
const run = promisify(execFile);

interface Vector {
  name: string;
  secretBase64: string;
  bodyBase64: string;
  signature: string;
  valid: boolean;
}

const { vectors }: { vectors: Vector[] } = JSON.parse(readFileSync(VECTORS, 'utf8'));
const scratch = mkdtempSync(join(tmpdir(), 'waybill-verify-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The same vectors with inverted expectations: a program that accepts these verifies nothing. */
const LYING_VECTORS = join(scratch, 'lying.json');
writeFileSync(
  LYING_VECTORS,
  JSON.stringify({ vectors: vectors.map((vector) => ({ ...vector, valid: !vector.valid })) }, null, 2),
);

interface Language {
  file: string;
  fence: string;
  tool: string;
  command(vectors: string): [string, string[]];
}

const LANGUAGES: Language[] = [
  {
    file: 'verify.mjs',
    fence: 'js',
    tool: process.execPath,
    command: (path) => [process.execPath, [join(FOLDER, 'verify.mjs'), path]],
  },
  {
    file: 'verify.py',
    fence: 'python',
    tool: 'python3',
    command: (path) => ['python3', [join(FOLDER, 'verify.py'), path]],
  },
  { file: 'verify.php', fence: 'php', tool: 'php', command: (path) => ['php', [join(FOLDER, 'verify.php'), path]] },
  {
    file: 'Verify.java',
    fence: 'java',
    tool: 'javac',
    command: (path) => ['java', [join(FOLDER, 'Verify.java'), path]],
  },
  {
    file: 'Verify.cs',
    fence: 'csharp',
    tool: 'dotnet',
    command: (path) => ['dotnet', ['run', '--project', dotnetProject(), '--', path]],
  },
];

function isInstalled(tool: string): boolean {
  return spawnSync(tool, ['--version'], { stdio: 'ignore' }).status === 0;
}

function dotnetProject(): string {
  const { stdout } = spawnSync('dotnet', ['--version'], { encoding: 'utf8' });
  const framework = `net${stdout.split('.')[0]}.0`;
  copyFileSync(join(FOLDER, 'Verify.cs'), join(scratch, 'Verify.cs'));
  const properties = `<OutputType>Exe</OutputType><TargetFramework>${framework}</TargetFramework>`;
  const project = `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>${properties}</PropertyGroup></Project>`;
  writeFileSync(join(scratch, 'verify.csproj'), project);
  return scratch;
}

describe('the test vectors', () => {
  test('match the signatures that Waybill creates', () => {
    for (const { name, secretBase64, bodyBase64, signature, valid } of vectors) {
      const secret = Buffer.from(secretBase64, 'base64').toString('utf8');
      const isSigned = secret !== '' && signBody(Buffer.from(bodyBase64, 'base64'), secret) === signature;
      expect([name, isSigned]).toEqual([name, valid]);
    }
  });

  test('include valid and invalid ones, non-ASCII letters, escapes, an empty secret and upper-case hex', () => {
    expect(vectors.filter(({ valid }) => valid).length).toBeGreaterThanOrEqual(5);
    expect(vectors.filter(({ valid }) => !valid).length).toBeGreaterThanOrEqual(10);
    const bodies = vectors.map(({ bodyBase64 }) => Buffer.from(bodyBase64, 'base64').toString('utf8'));
    expect(bodies.some((body) => /[^\p{ASCII}]/u.test(body))).toBe(true);
    expect(bodies.some((body) => body.includes('\\"'))).toBe(true);
    expect(vectors.some(({ secretBase64 }) => secretBase64 === '')).toBe(true);
    expect(vectors.some(({ signature }) => /^[0-9A-F]{64}$/.test(signature))).toBe(true);
  });
});

// Node is always available. The other languages run if they are installed and are reported as skipped otherwise.
describe.each(LANGUAGES)('$file', ({ file, fence, tool, command }) => {
  test.runIf(isInstalled(tool))('agrees with every vector, and with none of the falsified ones', async () => {
    const { stdout } = await run(...command(VECTORS));
    expect(stdout).toContain(`${vectors.length} of ${vectors.length} vectors agree`);
    await expect(run(...command(LYING_VECTORS))).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('0 of'),
    });
  });

  test('matches docs/webhooks.md; regenerate with UPDATE_DOCS=1 npx vitest run test/verification.test.ts', () => {
    const wanted = `\`\`\`${fence}\n${readDoc(`docs/verify/${file}`)}\`\`\`\n`;
    expect(readSection('docs/webhooks.md', file, wanted)).toBe(wanted);
  });
});
