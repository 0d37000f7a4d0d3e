import { Fragment } from 'react';
import { Dialog } from '../ui/dialogs/dialog.tsx';
import { shellTexts } from '../texts/shell.ts';
import type { NavigationItem } from './navigation.ts';

const KEY = 'inline-grid min-w-6 place-items-center rounded-sm border bg-sunken px-1.5 py-0.5 font-mono text-xs';

export function KeyboardHelp(props: { items: readonly NavigationItem[]; isOpen: boolean; onClose: () => void }) {
  const rows = [
    { keys: ['/'], text: shellTexts.shortcutSearch },
    ...props.items.map((item) => ({ keys: ['g', item.key], text: shellTexts.shortcutGo(item.label) })),
    { keys: ['?'], text: shellTexts.shortcutHelp },
  ];
  return (
    <Dialog title={shellTexts.shortcuts} isOpen={props.isOpen} onClose={props.onClose}>
      <dl className="grid grid-cols-[1fr_auto] items-center gap-x-6 gap-y-3">
        {rows.map(({ keys, text }) => (
          <Fragment key={text}>
            <dt>{text}</dt>
            <dd className="flex items-center gap-1.5 text-xs text-ink-faint">
              {keys.map((key, index) => (
                <Fragment key={key}>
                  {index > 0 && shellTexts.keysThen}
                  <kbd className={KEY}>{key}</kbd>
                </Fragment>
              ))}
            </dd>
          </Fragment>
        ))}
      </dl>
    </Dialog>
  );
}
