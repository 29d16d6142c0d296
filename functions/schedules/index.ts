import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { createSchedule } from './create.ts';
import { deleteSchedule } from './delete.ts';
import { getSchedule } from './get.ts';
import { listSchedules } from './list.ts';
import { pauseSchedule } from './pause.ts';
import { resumeSchedule } from './resume.ts';
import { runScheduleNow } from './run-now.ts';
import { listScheduleRuns } from './runs.ts';
import { updateSchedule } from './update.ts';

export const schedulesGroup = {
  description: 'Run flows by the clock, and see what ran.',
  endpoints: [
    listSchedules,
    createSchedule,
    getSchedule,
    updateSchedule,
    deleteSchedule,
    pauseSchedule,
    resumeSchedule,
    runScheduleNow,
    listScheduleRuns,
  ],
} as const satisfies EndpointGroup;
