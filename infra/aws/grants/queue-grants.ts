import { Stack } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Use } from '../../../shared/platform/aws/uses.ts';
import {
  acknowledgeWildcard,
  allowActions,
  allowSending,
  shownReference,
} from '../conventions/statements.ts';
import type { RoleGrant } from './role-grant.ts';

/** Messages, also those that EventBridge Scheduler sends at a time. */
export const queueGrants = {
  'queue:plan': (role, { queues }) => allowSending(role, queues.plan),
  'queue:runs': (role, { queues }) => allowSending(role, queues.runs),
  'queue:runs:release': (role, { queues }) =>
    allowActions(role, ['sqs:DeleteMessage'], [queues.runs.queueArn]),
  'queue:wakes': (role, { queues, wakeSchedules, schedulerRole }) => {
    allowSending(role, queues.wakes);
    const reason = 'Every schedule of the group resumes a run.';
    allowScheduling(role, ['CreateSchedule'], { group: wakeSchedules, role: schedulerRole, reason });
  },
  'queue:agents': (role, { queues }) => allowSending(role, queues.agents),
  'queue:deliveries': (role, { queues }) => allowSending(role, queues.deliveries),
  'queue:telemetry': (role, { queues }) => allowSending(role, queues.telemetry),
  'queue:cleanup': (role, { queues }) => allowSending(role, queues.cleanup),
  'queue:migrations': (role, { queues }) => allowSending(role, queues.migrations),
  schedules: (role, { schedules, schedulesRole }) =>
    allowScheduling(role, ['CreateSchedule', 'UpdateSchedule', 'DeleteSchedule'], {
      group: schedules,
      role: schedulesRole,
      reason: 'Every schedule of the group wakes fire-schedule.',
    }),
} satisfies Partial<Record<Use, RoleGrant>>;

interface Scheduling {
  group: CfnScheduleGroup;
  /** With which EventBridge Scheduler sends. */
  role: Role;
  reason: string;
}

/** Allows actions on the schedules of a group, and to hand over the role of the group. */
function allowScheduling(role: Role, actions: string[], { group, role: passed, reason }: Scheduling) {
  const stack = Stack.of(role);
  const names = { service: 'scheduler', resource: 'schedule', resourceName: `${group.ref}/*` };
  const onSchedules = actions.map((action) => `scheduler:${action}`);
  allowActions(role, onSchedules, [stack.formatArn(names)]);
  const toScheduler = { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } };
  allowActions(role, ['iam:PassRole'], [passed.roleArn], toScheduler);
  const shown = `${shownReference(role, group)}/*`;
  acknowledgeWildcard(
    role,
    `arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/${shown}`,
    reason,
  );
}
