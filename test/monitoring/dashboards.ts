// The Grafana dashboards, and their expressions as Prometheus gets them.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const FOLDER = path.join(import.meta.dirname, '..', '..', 'deploy', 'grafana');

const datasource = z.strictObject({ type: z.literal('prometheus'), uid: z.literal('${datasource}') });

const panel = z.object({
  id: z.int().positive(),
  type: z.enum(['timeseries', 'stat']),
  title: z.string().min(1),
  description: z.string().min(1).optional(),
  datasource,
  gridPos: z.strictObject({
    x: z.int().min(0).max(23),
    y: z.int().min(0),
    w: z.int().min(1).max(24),
    h: z.int().min(1),
  }),
  fieldConfig: z.object({ defaults: z.object({ unit: z.string().min(1) }) }),
  targets: z
    .array(
      z.object({ refId: z.string().regex(/^[A-Z]$/), datasource, expr: z.string().min(1), legendFormat: z.string() }),
    )
    .min(1),
});

/** Grafana's classic model, which every current version imports. */
const dashboard = z.object({
  uid: z.string().regex(/^waybill-[a-z]+$/),
  title: z.string().min(1),
  description: z.string().min(1),
  schemaVersion: z.literal(39),
  templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.enum(['datasource', 'query']) })) }),
  panels: z.array(panel).min(1),
});

export type Dashboard = z.output<typeof dashboard>;
export type Panel = Dashboard['panels'][number];

export const DASHBOARD_FILES = readdirSync(FOLDER);

export function readDashboard(file: string): Dashboard {
  return dashboard.parse(JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')));
}

export function listExpressions({ panels }: Dashboard): string[] {
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

/** As Grafana does for one job and all nodes. */
export function fillVariables(expression: string, rateInterval: string): string {
  const values: Record<string, string> = { job: 'waybill', instance: '.*', __rate_interval: rateInterval };
  return expression.replaceAll(/\$(\w+)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${expression}: unknown variable ${name}`);
    return value;
  });
}
