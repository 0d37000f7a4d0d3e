export const auditTexts = {
  title: 'Audit log',
  description: 'Who changed what, and when. Secrets are never written here. Times are UTC.',
  actor: 'Who',
  action: 'What begins with',
  actionPlaceholder: 'user. or api_key.created',
  anyRestaurant: 'Every restaurant',
  from: 'From (UTC)',
  until: 'Until (UTC)',
  clear: 'Clear the filters',
  at: 'When',
  what: 'What',
  details: 'Details',
  installation: 'Installation',
  nothing: 'No entry matches',
  nothingHint: 'Change or clear the filters.',
  searchedFar: 'Nothing so far. There is more of the log to search.',
} as const;

export const settingsTexts = {
  title: 'Settings in force',
  description:
    'With what this service was started. They are changed in its environment and take effect at the next start.',
  notSet: 'Not set',
  secretSet: 'Set (secret)',
  defaultIs: 'Default:',
} as const;
