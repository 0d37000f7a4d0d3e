export type UserTurn = 'enabled' | 'disabled' | 'secondFactorReset' | 'signedOut' | 'removed';

interface TurnTexts {
  button: string;
  title: (who: string) => string;
  text: string;
  done: string;
}

export const usersTexts = {
  title: 'Users',
  description: 'Everybody who can sign in, whatever they do.',
  search: 'E-mail, name or restaurant',
  roleFilter: 'Role',
  anyRole: 'Every role',
  invite: 'Invite',
  name: 'Name',
  role: 'Role',
  belongs: 'Belongs to',
  everything: 'Everything',
  state: 'State',
  states: { active: 'Active', invited: 'Invited', disabled: 'Disabled' },
  secondFactor: 'Second factor',
  on: 'On',
  off: 'Off',
  lastSeen: 'Last seen',
  never: 'Not signed in',
  you: 'You',
  actionsFor: (email: string) => `Actions: ${email}`,
  inviteTitle: 'Invite somebody',
  inviteText: 'They get a mail with a link to choose a password.',
  email: 'E-mail',
  send: 'Send the invitation',
  invited: (email: string) => `${email} is invited`,
  inviteAgain: 'Invite again',
  chooseRestaurant: 'Choose a restaurant',
  chooseCourier: 'Choose a courier',
  courier: 'Courier',
  courierHint: 'Who they are on the road. Add couriers under Couriers first.',
  findCourier: 'Find the courier',
  incomplete: { restaurant: 'Choose the restaurant first', courier: 'Choose the courier first' },
  ownAccount: 'You cannot do this to your own account; another operator can',
  noSecondFactor: 'They have no second factor',
  notSignedIn: 'They are not signed in anywhere',
  emptyText: 'Nobody has been invited yet.',
} as const;

export const userTurnTexts: Record<UserTurn, TurnTexts> = {
  enabled: {
    button: 'Enable',
    title: (who) => `Enable ${who}?`,
    text: 'They can sign in again with the password they had.',
    done: 'Enabled',
  },
  disabled: {
    button: 'Disable',
    title: (who) => `Disable ${who}?`,
    text: 'They are signed out everywhere at once and cannot sign in until somebody enables them again.',
    done: 'Disabled',
  },
  secondFactorReset: {
    button: 'Reset the second factor',
    title: (who) => `Reset the second factor of ${who}?`,
    text: 'For somebody who lost their device; make sure that it is them. They are signed out, sign in with the password alone, and set the second factor up again.',
    done: 'The second factor is reset',
  },
  signedOut: {
    button: 'Sign out everywhere',
    title: (who) => `Sign ${who} out everywhere?`,
    text: 'Every session ends at once. They can sign in again.',
    done: 'Signed out everywhere',
  },
  removed: {
    button: 'Remove',
    title: (who) => `Remove ${who}?`,
    text: 'They are signed out at once and their account is deleted. What they did stays in the audit log.',
    done: 'Removed',
  },
};
