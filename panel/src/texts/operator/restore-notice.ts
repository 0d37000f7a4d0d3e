export const restoreNoticeTexts = {
  restored: 'This installation was restored from a backup',
  recovered: 'This database was recovered to an earlier point in time',
  startedAt: { restored: 'Restored', recovered: 'Recovered' },
  intro: 'Check each of these:',
  where: 'Where to check:',
  revoke:
    'If someone may have misused access, run this on the server. It lists what was created or changed since a given time. To revoke it, run it without --dry-run.',
  command: 'Command for the server',
  commandText: 'npm run waybill -- revoke --since TIME --dry-run',
  commandTime: 'Set TIME to before the first suspicious change, for example one day before the last data:',
  dismiss: 'Dismiss for all operators',
  dismissTitle: 'Dismiss this notice?',
  dismissText: 'No operator will see it again. The audit log records who dismissed it.',
  dismissed: 'Notice dismissed',
} as const;
