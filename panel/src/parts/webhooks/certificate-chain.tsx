// The certificates that a receiver presented, its own first, with the faults of each.
import type { ReactNode } from 'react';
import type { CertificateView } from '../../../../src/contract/panel/restaurants/integration.ts';
import { certificateTexts } from '../../texts/webhooks/integration.ts';
import { ZonedTime } from '../../ui/time/times.tsx';

type Fault = CertificateView['faults'][number];

export function CertificateChain({ certificates }: { certificates: readonly CertificateView[] }) {
  if (certificates.length === 0) return null;
  return (
    <ol aria-label={certificateTexts.chain} className="mt-1 flex flex-col gap-2 text-sm text-ink-faint">
      {certificates.map((certificate, index) => (
        <li key={`${certificate.subject} ${certificate.validTo}`} className="break-words">
          <Fact fault="issuer" of={certificate}>
            {certificateTexts.issuedBy(certificate.subject, certificate.issuer)}
          </Fact>
          <Fact fault="validity" of={certificate}>
            {certificateTexts.valid} <ZonedTime at={certificate.validFrom} detail="date" /> {certificateTexts.until}{' '}
            <ZonedTime at={certificate.validTo} detail="date" />
          </Fact>
          {/* Only the receiver's own certificate must match a host name. */}
          {index === 0 && (
            <Fact fault="names" of={certificate}>
              {certificateTexts.names(certificate.names, certificate.moreNames)}
            </Fact>
          )}
        </li>
      ))}
    </ol>
  );
}

function Fact({ fault, of: { faults }, children }: { fault: Fault; of: CertificateView; children: ReactNode }) {
  return (
    <p>
      {children}
      {faults.includes(fault) && <span className="font-medium text-danger"> · {certificateTexts.faults[fault]}</span>}
    </p>
  );
}
