import { useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { TextArea } from '../../components/field.tsx';
import { courierTexts } from '../../texts/courier.ts';
import { BigButton } from './big-button.tsx';
import { ChoiceList } from './choice-list.tsx';

export interface ProblemDialogProps {
  isOpen: boolean;
  onReport: (detail: string) => void;
  onClose: () => void;
}

const OTHER = courierTexts.problemOther;

export function ProblemDialog({ isOpen, onReport, onClose }: ProblemDialogProps) {
  const [chosen, setChosen] = useState<string>();
  const [words, setWords] = useState('');
  const detail = chosen === OTHER ? words.trim() : (chosen ?? '');
  return (
    <Dialog
      title={courierTexts.problemTitle}
      description={<span className="text-lg text-ink">{courierTexts.problemText}</span>}
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <>
          <BigButton
            look="primary"
            disabledReason={detail === '' ? courierTexts.sayWhat : null}
            onClick={() => onReport(detail)}
            className="basis-full"
          >
            {courierTexts.problemSend}
          </BigButton>
          <BigButton onClick={onClose}>{courierTexts.back}</BigButton>
        </>
      }
    >
      <ChoiceList
        label={courierTexts.problemTitle}
        options={[...courierTexts.problems, OTHER].map((text) => ({ value: text, label: text }))}
        value={chosen}
        onChange={setChosen}
      />
      {chosen === OTHER && (
        <TextArea
          label={OTHER}
          value={words}
          maxLength={500}
          className="text-lg"
          onChange={(event) => setWords(event.target.value)}
        />
      )}
    </Dialog>
  );
}
