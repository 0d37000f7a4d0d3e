import { useQuery } from '@tanstack/react-query';
import type { SettingView } from '../../../../src/contract/panel/operator/audit-log.ts';
import { settingsInForceQuery } from '../../api/operator/overview.ts';
import { Breakable } from '../../ui/content/breakable-text.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Card, Page } from '../../ui/content/page.tsx';
import { SkeletonRows } from '../../ui/content/skeleton.tsx';
import { settingsTexts } from '../../texts/operator/audit-log.ts';

export function SettingsInForcePage() {
  const query = useQuery(settingsInForceQuery);
  return (
    <Page title={settingsTexts.title} description={settingsTexts.description}>
      <Card isFlush>
        {query.isPending && <SkeletonRows count={10} />}
        {query.isError && query.data === undefined && (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        )}
        {query.data !== undefined && (
          <dl>
            {query.data.settings.map((setting) => (
              <SettingRow key={setting.name} setting={setting} />
            ))}
          </dl>
        )}
      </Card>
    </Page>
  );
}

function SettingRow({ setting }: { setting: SettingView }) {
  const { name, sentence, defaultText, fileVariable } = setting;
  return (
    <div className="grid gap-x-8 gap-y-1 border-b px-5 py-3.5 last:border-b-0 sm:grid-cols-[1fr_minmax(0,18rem)]">
      <dt className="flex flex-col gap-0.5">
        <code className="font-mono text-sm font-medium">
          <Breakable text={name} />
        </code>
        <span className="text-sm text-ink-soft">{sentence.replaceAll('`', '')}</span>
        {fileVariable !== null && (
          <span className="text-sm text-ink-faint">
            {settingsTexts.orFile}{' '}
            <code className="font-mono">
              <Breakable text={fileVariable} />
            </code>
          </span>
        )}
      </dt>
      <dd className="flex flex-col gap-0.5 sm:text-right">
        <Value setting={setting} />
        {defaultText !== null && defaultText !== setting.value && (
          <span className="text-sm text-ink-faint">
            {settingsTexts.defaultIs} <Breakable text={defaultText} />
          </span>
        )}
      </dd>
    </div>
  );
}

function Value({ setting: { isSecret, isSet, value } }: { setting: SettingView }) {
  if (!isSet) return <span className="text-ink-faint">{settingsTexts.notSet}</span>;
  if (isSecret) return <span>{settingsTexts.secretSet}</span>;
  return (
    <code className="font-mono text-sm">
      <Breakable text={value ?? ''} />
    </code>
  );
}
