/** The settings that differ between environments. */
export const environments = {
  dev: { keepsData: false, logRetentionDays: 14, requestsPerSecond: 100 },
  staging: { keepsData: false, logRetentionDays: 30, requestsPerSecond: 500 },
  prod: { keepsData: true, logRetentionDays: 365, requestsPerSecond: 2_000 },
} as const;

export type EnvironmentName = keyof typeof environments;
export type Environment = { name: EnvironmentName } & (typeof environments)[EnvironmentName];

export const isEnvironmentName = (name: unknown): name is EnvironmentName =>
  typeof name === 'string' && Object.hasOwn(environments, name);
