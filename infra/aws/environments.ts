/**
 * The settings that differ between environments. `authorizersReserved`: the concurrency that only the authorizer may use,
 * so that a flood of work never locks everyone out. None where the account may be new: its 10 allow no reservation.
 */
export const environments = {
  dev: { keepsData: false, logRetentionDays: 14, requestsPerSecond: 100, authorizersReserved: 0 },
  staging: { keepsData: false, logRetentionDays: 30, requestsPerSecond: 500, authorizersReserved: 0 },
  prod: { keepsData: true, logRetentionDays: 365, requestsPerSecond: 2_000, authorizersReserved: 100 },
} as const;

export type EnvironmentName = keyof typeof environments;
export type Environment = { name: EnvironmentName } & (typeof environments)[EnvironmentName];

export const isEnvironmentName = (name: unknown): name is EnvironmentName =>
  typeof name === 'string' && Object.hasOwn(environments, name);
