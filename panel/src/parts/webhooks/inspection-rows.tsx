// The checks of an endpoint: which passed, which failed and how to fix it, which were not reached.
import type { ReactNode } from 'react';
import type { InspectionStep, InspectionView } from '../../../../src/contract/panel/restaurants/integration.ts';
import { checkTexts } from '../../texts/webhooks/integration.ts';
import { CertificateChain } from './certificate-chain.tsx';
import { CheckRow, type CheckMark } from './check-row.tsx';

/** Certificates that expire sooner get a warning: most are renewed a month ahead. */
const FEW_DAYS = 14;

type Row = 'name' | 'address' | 'certificate';

/** A failed connection fails the address step. */
const ROWS: Record<InspectionStep, Row> = {
  name: 'name',
  address: 'address',
  connection: 'address',
  certificate: 'certificate',
};
const ORDER: readonly Row[] = ['name', 'address', 'certificate'];

export function InspectionRows({ inspection }: { inspection: InspectionView }) {
  const { failedAt, errorText } = inspection;
  const failedRow = failedAt === null ? ORDER.length : ORDER.indexOf(ROWS[failedAt]);
  return ORDER.map((row, index) => {
    if (index < failedRow) return <PassedRow key={row} row={row} inspection={inspection} />;
    const hasFailed = index === failedRow && failedAt !== null;
    return (
      <StepRow key={row} row={row} mark={hasFailed ? 'fail' : 'skipped'}>
        {hasFailed && (
          <>
            <p>{errorText}</p>
            <p className="text-ink-soft">{checkTexts.todo[failedAt]}</p>
            {row === 'certificate' && <CertificateChain certificates={inspection.certificates} />}
          </>
        )}
      </StepRow>
    );
  });
}

function StepRow({ row, mark, children }: { row: Row; mark: Exclude<CheckMark, 'running'>; children: ReactNode }) {
  return (
    <CheckRow mark={mark} title={checkTexts.steps[row]} verdict={checkTexts.verdicts[mark]}>
      {children}
    </CheckRow>
  );
}

function PassedRow({ row, inspection }: { row: Row; inspection: InspectionView }) {
  const { addresses, remoteAddress, isPrivateAddress, dnsMs, connectMs } = inspection;
  if (row === 'certificate') return <CertificateRow inspection={inspection} />;
  // If a later step failed, only the last address tried is known.
  const known = addresses.length > 0 ? addresses.join(', ') : remoteAddress;
  const resolved = known === null ? checkTexts.resolves : checkTexts.resolvesTo(known);
  const reached = isPrivateAddress ? checkTexts.reachedPrivate : checkTexts.reached;
  const ms = row === 'name' ? dnsMs : connectMs;
  return (
    <StepRow row={row} mark="pass">
      <p className="break-words text-ink-soft">
        {row === 'name' ? resolved : reached}
        {ms !== null && <span className="tabular whitespace-nowrap text-ink-faint"> · {checkTexts.took(ms)}</span>}
      </p>
    </StepRow>
  );
}

function CertificateRow({ inspection: { certificates, tlsVersion, tlsMs } }: { inspection: InspectionView }) {
  const [own] = certificates;
  if (own === undefined) return null;
  const isShort = own.daysLeft < FEW_DAYS;
  return (
    <StepRow row="certificate" mark={isShort ? 'warn' : 'pass'}>
      <p className="text-ink-soft">
        <span className="tabular">{checkTexts.days(own.daysLeft)}</span>
        <span className="tabular text-ink-faint">
          {tlsVersion !== null && ` · ${tlsVersion}`}
          {tlsMs !== null && ` · ${checkTexts.took(tlsMs)}`}
        </span>
      </p>
      {isShort && <p>{checkTexts.daysShort(own.daysLeft)}</p>}
      <CertificateChain certificates={certificates} />
    </StepRow>
  );
}
