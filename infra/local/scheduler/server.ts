import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { log } from '../../../shared/core/log.ts';
import { systemClocks } from '../runtime/clock-jumps.ts';
import { isFullDisk } from '../runtime/full-disk.ts';
import { close, httpServer, listen } from '../runtime/server.ts';
import { AwsSchedule } from './schedule.ts';
import { openSchedules, type ScheduleTable } from './schedules.ts';

interface Answer {
  status: number;
  body: object;
  error?: string;
}

const failed = (status: number, error: string, Message: string): Answer => ({
  status,
  body: { Message },
  error,
});

/** Emulates the protocol of EventBridge Scheduler (REST JSON) for messages to queues. */
export async function startScheduler(
  directory: string | undefined,
  urlOf: (arn: string) => string,
  groups: readonly string[],
  clocks = systemClocks,
) {
  const schedules = openSchedules(directory, urlOf, clocks);
  const groupNames = new Set(['default', ...groups]);
  const server = httpServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://scheduler');
    const { status, body, error } = await text(request)
      .then((sent) => perform({ schedules, known: groupNames }, request.method ?? 'GET', url, sent))
      .catch(failure);
    response
      .writeHead(status, { 'content-type': 'application/json', ...(error && { 'x-amzn-errortype': error }) })
      .end(JSON.stringify(body));
  });
  const port = await listen(server, 0, '127.0.0.1');
  return {
    endpoint: `http://127.0.0.1:${port}`,
    /** Starts firing. Call it once the queues exist. */
    begin: schedules.start,
    async stop() {
      await schedules.stop();
      await close(server);
      schedules.close();
    },
  };
}

async function perform(
  { schedules, known }: { schedules: ScheduleTable; known: ReadonlySet<string> },
  method: string,
  { pathname, searchParams }: URL,
  sent: string,
): Promise<Answer> {
  const Name = decodeURIComponent(/^\/schedules\/([^/]+)$/.exec(pathname)?.[1] ?? '');
  if (!Name) return failed(400, 'UnknownOperationException', `No such operation here: ${method} ${pathname}`);
  const body: unknown = sent ? JSON.parse(sent) : {};
  const GroupName = searchParams.get('groupName') ?? 'default';
  switch (method) {
    case 'POST': {
      const schedule = AwsSchedule.parse({ ...(body as object), Name });
      if (!known.has(schedule.GroupName)) return noSuchGroup(schedule);
      if (!(await schedules.create(schedule)))
        return failed(409, 'ConflictException', `${Name} exists already`);
      return { status: 200, body: { ScheduleArn: arnOf(schedule) } };
    }
    case 'PUT': {
      const schedule = AwsSchedule.parse({ ...(body as object), Name });
      return (await schedules.update(schedule))
        ? { status: 200, body: { ScheduleArn: arnOf(schedule) } }
        : failed(404, 'ResourceNotFoundException', `There is no schedule ${Name}`);
    }
    case 'GET': {
      const schedule = schedules.get({ GroupName, Name });
      return schedule
        ? { status: 200, body: { ...schedule, Arn: arnOf(schedule), State: 'ENABLED' } }
        : failed(404, 'ResourceNotFoundException', `There is no schedule ${Name}`);
    }
    case 'DELETE':
      return (await schedules.remove({ GroupName, Name }))
        ? { status: 200, body: {} }
        : failed(404, 'ResourceNotFoundException', `There is no schedule ${Name}`);
    default:
      return failed(400, 'UnknownOperationException', `No such operation here: ${method}`);
  }
}

const noSuchGroup = ({ GroupName }: AwsSchedule) =>
  failed(404, 'ResourceNotFoundException', `There is no group ${GroupName}`);

const arnOf = ({ GroupName, Name }: AwsSchedule) =>
  `arn:aws:scheduler:us-east-1:000000000000:schedule/${GroupName}/${Name}`;

function failure(error: unknown): Answer {
  if (error instanceof z.ZodError || error instanceof SyntaxError) {
    return failed(400, 'ValidationException', error.message);
  }
  log.error('The scheduler stand-in failed', { error });
  if (isFullDisk(error)) return failed(507, 'ServiceQuotaExceededException', 'The disk is full');
  return failed(500, 'InternalServerException', 'Internal error');
}
