// The contract declares the panel's routes, and the table serves them: neither may have one that the other lacks.
import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Route } from '../contract/panel/routes.ts';
import { PANEL_ROUTES } from './panel-routes.ts';

const CONTRACT = path.join(import.meta.dirname, '..', 'contract', 'panel');

async function listDeclared(): Promise<Route[]> {
  const files = globSync('**/*.ts', { cwd: CONTRACT }).filter((file) => !file.endsWith('.test.ts'));
  const modules = await Promise.all(files.map((file): Promise<object> => import(path.join(CONTRACT, file))));
  const groups = modules.flatMap((module) => Object.entries(module)).filter(([name]) => name.endsWith('Api'));
  return groups.flatMap(([, group]) => Object.values<Route>(group as Record<string, Route>));
}

const nameOf = ({ method, path: url }: Route): string => `${method} ${url}`;

test('each declared route is served once, and nothing else is served', async () => {
  const declared = await listDeclared();
  expect(declared.length).toBeGreaterThan(100);
  expect(new Set(declared.map(nameOf)).size).toBe(declared.length);
  // The same objects, not only the same names: a copy of a declaration could have other schemas.
  const served = PANEL_ROUTES.map(({ declaration }) => declaration);
  expect(declared.filter((route) => served.filter((other) => other === route).length !== 1).map(nameOf)).toEqual([]);
  expect(served.filter((route) => !declared.includes(route)).map(nameOf)).toEqual([]);
});
