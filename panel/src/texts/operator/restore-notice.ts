export const restoreNoticeTexts = {
  restored: 'This installation was restored from a backup',
  recovered: 'This database was recovered to an earlier moment',
  intro: 'Check each of these:',
  revoke:
    'To revoke everything created or changed since a time, run on the server: npm run waybill -- revoke --since T --dry-run',
  dismiss: 'Dismiss for all operators',
  dismissTitle: 'Dismiss this notice?',
  dismissText: 'No operator will see it again. The audit log keeps who dismissed it.',
  dismissed: 'Notice dismissed',
} as const;
