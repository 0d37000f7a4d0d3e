import { timingSafeEqual } from 'node:crypto';
import { refuse, refused, refuseValue, refuseWith, type Refused } from '../../domain/refusals.ts';
import { hashPassword } from '../../secrets/passwords.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { hasOperator, insertUser, lockUsers, savePassword } from '../../store/people/users.ts';
import { readableCode, type Vault } from '../../secrets/vault.ts';
import type { AdministrationDeps, FromAddress } from '../administration.ts';
import { INVALID_EMAIL, isEmail } from '../restaurants/restaurant-settings.ts';

/**
 * Shown only to the person who runs the service. Derived, so that it is the same on every node and after every restart.
 * It is useless once an operator exists.
 */
export function setUpCode(vault: Pick<Vault, 'keyedHash'>): string {
  return readableCode(vault.keyedHash('first operator 1'));
}

export interface SetUpOperatorRequest extends FromAddress {
  code: string;
  email: string;
  name: string;
  password: string;
}

export type SetUpOperator = { kind: 'set-up'; email: string } | Refused;

/** The first operator of a fresh installation. */
export async function setUpOperator(deps: AdministrationDeps, request: SetUpOperatorRequest): Promise<SetUpOperator> {
  if (await hasOperator(deps.db)) return refused(refuse('SETUP_001'));
  if (!isCode(deps.vault, request.code)) return refused(refuse('SETUP_002'));
  const email = request.email.trim().toLowerCase();
  if (!isEmail(email)) return refused(refuseValue({ field: 'email', message: INVALID_EMAIL }));
  const hash = await hashPassword(request.password, deps.randomBytes);
  return deps.db.transaction(async (tx) => {
    // If two people use the code concurrently, only one becomes the first operator.
    await lockUsers(tx);
    if (await hasOperator(tx)) return refused(refuse('SETUP_001'));
    const at = deps.clock.now();
    const id = deps.newId();
    const user = { id, email, name: request.name, role: 'operator' as const, createdAt: at };
    if (!(await insertUser(tx, { ...user, restaurantId: null, courierId: null }))) {
      return refused(refuseWith('USER_001', { email }));
    }
    await savePassword(tx, { id: deps.newId(), userId: id, hash, at });
    await recordChange(tx, {
      at,
      actor: { name: email, address: request.address },
      restaurantId: null,
      action: 'user.added',
      detail: { userId: id, email, role: 'operator' },
    });
    return { kind: 'set-up', email };
  });
}

function isCode(vault: Pick<Vault, 'keyedHash'>, code: string): boolean {
  const hash = (text: string) => vault.keyedHash(`set-up code ${text}`);
  return timingSafeEqual(hash(code.trim().toLowerCase()), hash(setUpCode(vault)));
}
