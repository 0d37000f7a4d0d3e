export type UserTurn = 'enabled' | 'disabled' | 'secondFactorReset' | 'signedOut' | 'removed';

interface TurnTexts {
  button: string;
  title: (who: string) => string;
  text: string;
  done: string;
}

export const usersTexts = {
  title: 'Users',
  description: 'Everyone who can sign in.',
  search: 'Email, name or restaurant',
  roleFilter: 'Role',
  anyRole: 'All roles',
  invite: 'Invite user',
  name: 'Name',
  role: 'Role',
  belongs: 'Belongs to',
  everything: 'All restaurants',
  state: 'State',
  states: { active: 'Active', invited: 'Invited', disabled: 'Disabled' },
  secondFactor: '2FA',
  on: 'On',
  off: 'Off',
  lastSeen: 'Last seen',
  never: 'Never',
  you: 'You',
  actionsFor: (email: string) => `Actions: ${email}`,
  inviteTitle: 'Invite user',
  inviteText: "We'll email them a link to set their password.",
  email: 'Email',
  send: 'Send invitation',
  invited: (email: string) => `Invitation sent to ${email}`,
  inviteAgain: 'Resend invitation',
  chooseRestaurant: 'Select a restaurant',
  chooseCourier: 'Select a courier',
  courier: 'Courier',
  courierHint: 'The courier profile of this user. Add it on the Couriers page first.',
  findCourier: 'Search couriers',
  incomplete: { restaurant: 'Select a restaurant first', courier: 'Select a courier first' },
  ownAccount: "You can't do this to your own account. Ask another operator.",
  noSecondFactor: 'Two-factor authentication is off',
  notSignedIn: 'Not signed in',
  emptyText: 'No users yet. Invite someone to get started.',
} as const;

export const userTurnTexts: Record<UserTurn, TurnTexts> = {
  enabled: {
    button: 'Enable',
    title: (who) => `Enable ${who}?`,
    text: "They'll be able to sign in again with their old password.",
    done: 'User enabled',
  },
  disabled: {
    button: 'Disable',
    title: (who) => `Disable ${who}?`,
    text: "They'll be signed out everywhere and won't be able to sign in until someone enables them again.",
    done: 'User disabled',
  },
  secondFactorReset: {
    button: 'Reset 2FA',
    title: (who) => `Reset two-factor authentication for ${who}?`,
    text: "Do this only if they lost their device and you've verified their identity. They'll be signed out and can sign in with just their password until they set it up again.",
    done: 'Two-factor authentication reset',
  },
  signedOut: {
    button: 'Sign out everywhere',
    title: (who) => `Sign ${who} out everywhere?`,
    text: 'All their sessions end immediately. They can sign in again.',
    done: 'Signed out everywhere',
  },
  removed: {
    button: 'Remove',
    title: (who) => `Remove ${who}?`,
    text: "They'll be signed out and their account deleted. Their actions stay in the audit log.",
    done: 'User removed',
  },
};
