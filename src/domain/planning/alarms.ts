/** Why an order needs someone's attention. The planner raises and ends the first three, couriers raise the last. */
export const PLANNER_ALARM_KINDS = ['NO_COURIER_IN_TIME', 'PLACE_MISSING', 'COURIER_DARK'] as const;
export const ALARM_KINDS = [...PLANNER_ALARM_KINDS, 'PROBLEM_REPORTED'] as const;

export type PlannerAlarmKind = (typeof PLANNER_ALARM_KINDS)[number];
export type AlarmKind = (typeof ALARM_KINDS)[number];
