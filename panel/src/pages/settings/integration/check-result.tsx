// The result of the live check of one URL, step by step.
import type { CheckAnswer } from '../../../../../src/contract/panel/restaurants/integration.ts';
import { CheckRow } from '../../../parts/webhooks/check-row.tsx';
import { CodeBlock } from '../../../ui/content/code-block.tsx';
import { InspectionRows } from '../../../parts/webhooks/inspection-rows.tsx';
import { checkTexts } from '../../../texts/webhooks/integration.ts';

export function isGoodCheck({ inspection, test }: CheckAnswer): boolean {
  return inspection.ok && test !== null && test.ok;
}

export function CheckResult({ check: { inspection, test } }: { check: CheckAnswer }) {
  return (
    <ul className="flex flex-col gap-4">
      <InspectionRows inspection={inspection} />
      {test === null ? (
        <CheckRow mark="skipped" title={checkTexts.steps.test} verdict={checkTexts.verdicts.skipped}>
          <p className="text-ink-soft">{checkTexts.testSkipped}</p>
        </CheckRow>
      ) : (
        <TestRow test={test} />
      )}
    </ul>
  );
}

type TestSent = NonNullable<CheckAnswer['test']>;

function TestRow({ test }: { test: TestSent }) {
  const ms = Math.round(test.totalMs);
  const mark = test.ok ? 'pass' : 'fail';
  const headers = Object.entries(test.sentHeaders).map(([name, value]) => `${name}: ${value}`);
  return (
    <CheckRow mark={mark} title={checkTexts.steps.test} verdict={checkTexts.verdicts[mark]}>
      <p className="text-ink-soft">
        {test.ok ? checkTexts.testGood(test.status ?? 0, ms) : checkTexts.testBad(test.errorText ?? '', ms)}
        <span className="text-ink-faint"> · {checkTexts.signed[test.signedWith ?? 'none']}</span>
      </p>
      {!test.ok && <p className="text-ink-soft">{adviseOn(test)}</p>}
      <details>
        <summary className="cursor-pointer text-sm font-medium text-ink-soft">{checkTexts.details}</summary>
        <div className="mt-2 flex flex-col gap-3">
          <CodeBlock label={checkTexts.sentHeaders} text={headers.join('\n')} />
          <CodeBlock label={checkTexts.sentBody} text={test.sentBody} />
          <CodeBlock label={checkTexts.answer} text={test.answer || checkTexts.emptyAnswer} />
        </div>
      </details>
    </CheckRow>
  );
}

function adviseOn({ status, signedWith }: TestSent): string {
  if (status === null) return checkTexts.noAnswerHint;
  return status === 401 && signedWith !== null ? checkTexts.signatureHint : checkTexts.refusedHint;
}
