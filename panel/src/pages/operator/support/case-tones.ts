import type { CaseState } from '../../../../../src/contract/panel/operator/support.ts';
import type { BadgeTone } from '../../../parts/orders/badge.tsx';

export const CASE_TONES: Record<CaseState, BadgeTone> = { open: 'danger', contacted: 'warn', resolved: 'good' };
