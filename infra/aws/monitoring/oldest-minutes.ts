import type { QueueName } from '../../resources.ts';

/** The longest age of a message in minutes. A batch may fill `runs` for hours, because each slot takes its turn. */
export const oldestMinutes: Record<QueueName, number> = {
  plan: 30,
  runs: 360,
  wakes: 30,
  agents: 60,
  schedules: 30,
  deliveries: 30,
  telemetry: 15,
  cleanup: 60,
  jobs: 60,
  migrations: 60,
};
