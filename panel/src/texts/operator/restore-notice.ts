export const restoreNoticeTexts = {
  restored: 'This installation was restored from a backup',
  recovered: 'This database was recovered to an earlier moment',
  startedAt: { restored: 'Restored', recovered: 'Recovered' },
  intro: 'Check each of these:',
  where: 'Where to check:',
  revoke:
    'If someone may have misused access, run this on the server. It lists what was created or changed since a given time, and revokes it only without the last option.',
  command: 'Command for the server',
  commandText: 'npm run waybill -- revoke --since TIME --dry-run',
  commandTime: 'TIME is before the first change you doubt, for example a day before the last data:',
  dismiss: 'Dismiss for all operators',
  dismissTitle: 'Dismiss this notice?',
  dismissText: 'No operator will see it again. The audit log keeps who dismissed it.',
  dismissed: 'Notice dismissed',
} as const;
