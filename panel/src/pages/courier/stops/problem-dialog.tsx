import { useState } from 'react';
import type { CourierStop } from '../../../../../src/contract/panel/couriers/courier-page.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { TextArea } from '../../../ui/forms/field.tsx';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { BigButton } from '../controls/big-button.tsx';
import { ChoiceList } from '../controls/choice-list.tsx';
import { useIsRested } from '../controls/settled-screen.ts';

export interface ProblemDialogProps {
  /** The stop whose order has the problem. */
  stop: CourierStop;
  /** Closed, not unmounted, so that input survives an interruption. */
  isOpen: boolean;
  isWithCourier: boolean;
  onReport: (detail: string) => void;
  onClose: () => void;
}

const OTHER = courierTexts.problemOther;

export function ProblemDialog({ stop, isOpen, isWithCourier, onReport, onClose }: ProblemDialogProps) {
  const [chosen, setChosen] = useState<string>();
  const [words, setWords] = useState('');
  // It may reopen under the thumb that has just answered an offer.
  const isRested = useIsRested(String(isOpen));
  const detail = chosen === OTHER ? words.trim() : (chosen ?? '');
  return (
    <Dialog
      title={courierTexts.problemTitle}
      description={
        <div className="flex flex-col gap-1 text-lg text-ink">
          <p className="font-bold">{courierTexts.problemOf(stop.orderNumber, stop.restaurant)}</p>
          {isWithCourier && <p>{courierTexts.problemText}</p>}
        </div>
      }
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <>
          {isWithCourier && (
            <BigButton
              look="primary"
              isBusy={!isRested}
              disabledReason={detail === '' ? courierTexts.selectProblem : null}
              onClick={() => onReport(detail)}
              className="basis-full"
            >
              {courierTexts.problemSend}
            </BigButton>
          )}
          <BigButton onClick={onClose}>{courierTexts.back}</BigButton>
        </>
      }
    >
      {isWithCourier ? (
        <ProblemChoice chosen={chosen} words={words} onChoose={setChosen} onWrite={setWords} />
      ) : (
        <Banner tone="danger">
          <span className="text-lg">{courierTexts.problemOfNone}</span>
        </Banner>
      )}
    </Dialog>
  );
}

interface ProblemChoiceProps {
  chosen: string | undefined;
  words: string;
  onChoose: (chosen: string) => void;
  onWrite: (words: string) => void;
}

function ProblemChoice({ chosen, words, onChoose, onWrite }: ProblemChoiceProps) {
  return (
    <>
      <ChoiceList
        label={courierTexts.problemTitle}
        options={[...courierTexts.problems, OTHER].map((text) => ({ value: text, label: text }))}
        value={chosen}
        onChange={onChoose}
      />
      {chosen === OTHER && (
        <TextArea
          label={OTHER}
          rows={2}
          value={words}
          maxLength={500}
          className="text-lg"
          onChange={(event) => onWrite(event.target.value)}
        />
      )}
    </>
  );
}
