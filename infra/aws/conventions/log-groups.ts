import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { retentionPolicy } from './retention.ts';
import type { Settings } from './settings.ts';

/** A log group with the retention of the environment. */
export const logGroupFor = (scope: Construct, id: string, settings: Settings): LogGroup =>
  new LogGroup(scope, id, {
    retention: settings.logRetentionDays as RetentionDays,
    removalPolicy: retentionPolicy(settings),
  });
