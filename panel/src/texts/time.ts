export const timeTexts = {
  now: 'now',
  seconds: (seconds: number) => `${seconds} s`,
  minutes: (minutes: number) => `${minutes} min`,
  hours: (hours: number, minutes: number) => `${hours} h ${String(minutes).padStart(2, '0')} min`,
  days: (days: number) => `${days} d`,
  ago: (duration: string) => `${duration} ago`,
  in: (duration: string) => `in ${duration}`,
} as const;
