// Builds what the panel's pages depend on.
import { createAccounts } from './accounts/accounts.ts';
import { createSignInLimits } from './accounts/sign-in-limits.ts';
import type { OrderChanger } from './actions/orders/change-order.ts';
import type { Config } from './settings/config.ts';
import { createCheckLimit } from './http/panel/check-limit.ts';
import { OrderLiveFeed } from './http/panel/reads/live-feed.ts';
import { createOperatorReads } from './http/panel/reads/operator-reads.ts';
import type { PanelDeps } from './http/panel/route.ts';
import { createUserTurns } from './http/panel/user-concurrency.ts';
import { createWebhookReads } from './http/panel/reads/webhook-reads.ts';
import { listCandidates } from './planning/candidates.ts';
import type { PlanThreads } from './planning/threads/plan-threads.ts';
import type { Platform } from './platform.ts';
import { describeSettings } from './settings/describe-settings.ts';
import type { AuthPool } from './store/database/auth-pool.ts';
import type { Database } from './store/database/database.ts';
import { createReplicationCheck } from './store/database/replicated.ts';
import type { Pools } from './store/database/pools.ts';
import type { Vault } from './secrets/vault.ts';
import { checkEndpoint } from './webhooks/client/check-endpoint.ts';
import { headersFor } from './webhooks/client/request-headers.ts';
import type { Sender } from './webhooks/client/sender.ts';

export interface PanelParts extends Platform, Pick<PanelDeps, 'routes'> {
  config: Config;
  pools: Pools;
  db: Database;
  vault: Vault;
  changer: OrderChanger;
  threads: PlanThreads;
  pool: AuthPool;
  sender: Sender;
}

export function buildPanel(parts: PanelParts): PanelDeps {
  const { config } = parts;
  const hasMailServer = config.smtpUrl !== null;
  return {
    ...parts,
    environment: config.environment,
    requestDeadlineMs: config.requestDeadlineMs,
    publicUrl: config.publicUrl,
    hasMailServer,
    mapStyleUrl: config.mapStyleUrl,
    accounts: createAccounts(parts),
    limits: createSignInLimits(parts),
    turns: createUserTurns(parts.clock),
    live: new OrderLiveFeed(parts),
    webhooks: createWebhookReads({ ...parts, headersFor }),
    operator: createOperatorReads({ ...parts, hasMailServer, settings: describeSettings(config) }),
    confirmReplicated: createReplicationCheck(parts.db),
    checkLimit: createCheckLimit(parts.clock),
    checkEndpoint: (request) => checkEndpoint(parts, request),
    headersFor,
    listCandidates: (request) => listCandidates(parts, request),
  };
}
