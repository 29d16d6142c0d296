/**
 * What differs between environments. Context values set the rest (`settings.ts`). `authorizersReserved`: the concurrency
 * that only the authorizer may use, so that a flood of work never locks everyone out. None where the account may be new:
 * its quota of 10 allows no reservation.
 */
export const environments = {
  dev: {
    keepsData: false,
    refusesDestroy: false,
    logRetentionDays: 14,
    requestsPerSecond: 100,
    authorizersReserved: 0,
    wafRatePer5Minutes: 'off',
    alarms: false,
    canary: false,
  },
  staging: {
    keepsData: false,
    refusesDestroy: true,
    logRetentionDays: 30,
    requestsPerSecond: 500,
    authorizersReserved: 0,
    wafRatePer5Minutes: 'off',
    alarms: true,
    canary: false,
  },
  prod: {
    keepsData: true,
    refusesDestroy: true,
    logRetentionDays: 365,
    requestsPerSecond: 2_000,
    authorizersReserved: 100,
    wafRatePer5Minutes: 10_000,
    alarms: true,
    canary: true,
  },
} as const;

export type EnvironmentName = keyof typeof environments;
