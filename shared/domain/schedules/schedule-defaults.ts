/** The members of a schedule that a request leaves out. */
export const scheduleDefaults = {
  cron: null,
  runAt: null,
  timezone: null,
  enabled: true,
  recordIds: null,
  recordType: null,
  recordFilter: null,
  executionOptions: {},
};
