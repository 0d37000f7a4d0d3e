// What the live check of one URL found, step by step, as far as it came.
import { CircleAlert, CircleCheck, CircleMinus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { CheckAnswer } from '../../../../src/contract/panel/integration.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { checkTexts } from '../../texts/integration.ts';

/** Below this a certificate is worth a warning: most are renewed a month ahead. */
const FEW_DAYS = 14;

export function isGoodCheck({ inspection, test }: CheckAnswer): boolean {
  return inspection.ok && test !== null && test.ok;
}

export function CheckResult({ check }: { check: CheckAnswer }) {
  const { inspection, test } = check;
  const [own] = inspection.certificates;
  return (
    <ul className="flex flex-col gap-3">
      {inspection.ok ? (
        <Step mark="good" title={checkTexts.name}>
          {checkTexts.nameGood(inspection.addresses.join(', '))}
        </Step>
      ) : (
        <Step mark="bad" title={checkTexts.connection}>
          {inspection.errorText}
        </Step>
      )}
      {own !== undefined && (
        <Step mark={own.daysLeft < FEW_DAYS ? 'bad' : 'good'} title={checkTexts.certificate}>
          <span className="tabular">{checkTexts.days(own.daysLeft)}</span>
          {inspection.tlsVersion !== null && <span className="text-ink-faint"> · {inspection.tlsVersion}</span>}
          {own.daysLeft < FEW_DAYS && <p>{checkTexts.daysShort(own.daysLeft)}</p>}
          <ol aria-label={checkTexts.chain} className="mt-1 text-sm text-ink-faint">
            {inspection.certificates.map((certificate) => (
              <li key={`${certificate.subject} ${certificate.validTo}`} className="break-words">
                {checkTexts.issuedBy(certificate.subject, certificate.issuer)}
              </li>
            ))}
          </ol>
        </Step>
      )}
      {test === null ? (
        <Step mark="skipped" title={checkTexts.test}>
          {checkTexts.testSkipped}
        </Step>
      ) : (
        <TestStep test={test} />
      )}
    </ul>
  );
}

function TestStep({ test }: { test: NonNullable<CheckAnswer['test']> }) {
  const ms = Math.round(test.totalMs);
  const headers = Object.entries(test.sentHeaders).map(([name, value]) => `${name}: ${value}`);
  const isSignatureRefused = test.status === 401 && test.signedWith !== null;
  return (
    <Step mark={test.ok ? 'good' : 'bad'} title={checkTexts.test}>
      {test.ok ? checkTexts.testGood(test.status ?? 0, ms) : checkTexts.testBad(test.errorText ?? '', ms)}
      <span className="text-ink-faint"> · {checkTexts.signed[test.signedWith ?? 'none']}</span>
      {!test.ok && test.status !== null && (
        <p className="mt-1">{isSignatureRefused ? checkTexts.signatureHint : checkTexts.refusedHint}</p>
      )}
      <details className="mt-2">
        <summary className="cursor-pointer text-sm font-medium text-ink-soft">{checkTexts.details}</summary>
        <div className="mt-2 flex flex-col gap-3">
          <CodeBlock label={checkTexts.sentHeaders} text={headers.join('\n')} />
          <CodeBlock label={checkTexts.sentBody} text={test.sentBody} />
          <CodeBlock label={checkTexts.answer} text={test.answer || checkTexts.emptyAnswer} />
        </div>
      </details>
    </Step>
  );
}

const MARKS = {
  good: { Icon: CircleCheck, color: 'text-good', text: checkTexts.good },
  bad: { Icon: CircleAlert, color: 'text-danger', text: checkTexts.bad },
  skipped: { Icon: CircleMinus, color: 'text-ink-faint', text: checkTexts.skipped },
} as const;

function Step({ mark, title, children }: { mark: keyof typeof MARKS; title: string; children: ReactNode }) {
  const { Icon, color, text } = MARKS[mark];
  return (
    <li className="flex gap-3">
      <Icon role="img" aria-label={text} className={`mt-0.5 size-4.5 shrink-0 ${color}`} />
      <div className="min-w-0 flex-1">
        <p className="text-sm font-medium">{title}</p>
        <div className="text-ink-soft">{children}</div>
      </div>
    </li>
  );
}
