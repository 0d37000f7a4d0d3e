export const timingTexts = {
  label: 'Timings',
  phases: { dns: 'DNS', connect: 'Connect', tls: 'TLS', wait: 'First byte', answer: 'Response' },
  total: 'Total',
  milliseconds: (ms: number) => `${ms > 0 && ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`,
} as const;
