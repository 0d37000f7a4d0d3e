import { useState } from 'react';
import type { SupportCaseDetail } from '../../../../../src/contract/panel/operator/support.ts';
import { toApiError } from '../../../api/api-error.ts';
import { useCaseNote } from '../../../api/operator/support.ts';
import { Button } from '../../../ui/button.tsx';
import { TextArea } from '../../../ui/forms/field.tsx';
import { Card } from '../../../ui/content/page.tsx';
import { ZonedTime } from '../../../ui/time/times.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { supportTexts } from '../../../texts/operator/support.ts';

const MAX_NOTE_LENGTH = 4000;

export function CaseNotes({ supportCase }: { supportCase: SupportCaseDetail }) {
  const [text, setText] = useState('');
  const note = useCaseNote(supportCase.id);
  const add = (): void =>
    note.mutate(text, {
      onSuccess: () => {
        showToast(supportTexts.noted);
        setText('');
      },
    });
  return (
    <Card title={supportTexts.notes}>
      <div className="flex flex-col gap-5">
        {supportCase.notes.length === 0 && <p className="text-ink-soft">{supportTexts.noNotes}</p>}
        <ol className="flex flex-col gap-4">
          {supportCase.notes.map(({ at, actor, note: written }) => (
            <li key={`${at} ${written}`} className="flex flex-col gap-0.5">
              <p className="break-words whitespace-pre-wrap">{written}</p>
              <p className="text-sm text-ink-faint">
                {actor} · <ZonedTime at={at} />
              </p>
            </li>
          ))}
        </ol>
        <form
          className="flex flex-col items-start gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() !== '') add();
          }}
        >
          <div className="w-full">
            <TextArea
              label={supportTexts.note}
              rows={3}
              maxLength={MAX_NOTE_LENGTH}
              value={text}
              problem={note.isError ? toApiError(note.error).message : undefined}
              onChange={(event) => setText(event.target.value)}
            />
          </div>
          <Button
            type="submit"
            isBusy={note.isPending}
            disabledReason={text.trim() === '' ? supportTexts.emptyNote : null}
          >
            {supportTexts.addNote}
          </Button>
        </form>
      </div>
    </Card>
  );
}
