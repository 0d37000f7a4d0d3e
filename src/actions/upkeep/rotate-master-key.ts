// Replaces an installation's master key: everything sealed is resealed in one transaction. A crash leaves either the
// old key or the new one in force, never both, and the command can be run again.
import { refuse, refused, type Refused } from '../../domain/refusals.ts';
import type { Platform } from '../../platform.ts';
import { recordChange, type LocalActor } from '../../store/people/audit-log.ts';
import type { Database } from '../../store/database/database.ts';
import { findInstallation } from '../../store/upkeep/installation.ts';
import { countLivingNodes } from '../../store/upkeep/living-nodes.ts';
import {
  deleteAllSessions,
  lockInstallation,
  resealRows,
  resealSecondFactors,
  saveSeals,
} from '../../store/upkeep/sealed-values.ts';
import { SEALED_IN, type Vault } from '../../secrets/vault.ts';
import { adoptInstallation, CHECK_TEXT } from './check-master-key.ts';

type Deps = Pick<Platform, 'clock'> & { db: Database };

export interface Rotation {
  from: Vault;
  to: Vault;
  actor: LocalActor;
  /** For second factors, which the authentication library seals. */
  resealSecondFactor: (sealed: string) => Promise<string>;
}

export type RotationResult =
  | { kind: 'rotated'; secrets: number; secondFactors: number; unreadable: string[] }
  /** The new key is already in force, from an earlier run. */
  | { kind: 'already' }
  | Refused;

export function rotateMasterKey(deps: Deps, rotation: Rotation): Promise<RotationResult> {
  const { from, to, actor } = rotation;
  return deps.db.transaction(async (tx): Promise<RotationResult> => {
    await lockInstallation(tx);
    const installation = await findInstallation(tx);
    if (installation === undefined) return refused(refuse('UPKEEP_001'));
    if (adoptInstallation(to, installation)) return { kind: 'already' };
    if (!adoptInstallation(from, installation)) return refused(refuse('UPKEEP_002'));
    // A running node keeps the old key in memory, and no one could open what it seals after the rotation.
    if ((await countLivingNodes(tx)) > 0) {
      return refused(refuse('UPKEEP_003'));
    }
    const credentialKey = from.exportCredentialKey();
    to.adopt({ isBound: true, credentialKey });
    const secrets = await resealRows(tx, { from, to });
    const secondFactors = await resealSecondFactors(tx, rotation.resealSecondFactor);
    const unreadable = [...secrets.unreadable, ...secondFactors.unreadable];
    await deleteAllSessions(tx);
    await saveSeals(tx, {
      keyCheck: to.seal(CHECK_TEXT, SEALED_IN.keyCheck),
      sealedCredentialKey: to.seal(credentialKey.toString('base64'), SEALED_IN.credentialKey),
    });
    await recordChange(tx, {
      at: deps.clock.now(),
      actor,
      restaurantId: null,
      action: 'master_key.rotated',
      detail: { secrets: secrets.count, secondFactors: secondFactors.count, unreadable: unreadable.length },
    });
    return { kind: 'rotated', secrets: secrets.count, secondFactors: secondFactors.count, unreadable };
  });
}
