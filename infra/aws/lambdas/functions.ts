import { Duration, NestedStack } from 'aws-cdk-lib';
import {
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { isOfNoGroup, type LambdaEntry, preTokenGeneration } from '../conventions/entries.ts';
import { logGroupFor } from '../conventions/log-groups.ts';
import { isManaged, nameFunction } from '../conventions/managed-workers.ts';
import { howBundlesRun } from '../conventions/own-functions.ts';
import { groupRole } from '../grants/group-role.ts';
import type { Releases } from '../releases/releases.ts';
import { type Bundles, bundleFolder } from './bundles.ts';
import { type EnvironmentProps, lambdaVariables } from './environment.ts';
import { addEventSources } from './event-sources.ts';
import { ManagedInstances, managedEnvironment } from './managed-instances.ts';

interface FunctionsProps extends LambdaProps {
  entries: readonly LambdaEntry[];
  /** Absent without canary releases. */
  releases: Releases | undefined;
}

/**
 * Every Lambda of the service. A group is a nested stack with its role, its log, its Lambdas, their releases and what invokes
 * them, because one stack has room for 500 resources. The Lambdas of no group are in the stack of the service, whose user pool
 * names one of them. A Lambda must never change its stack: its name is fixed, and no stack can create what another still holds.
 */
export class Functions extends Construct {
  /** By group: its nested stack, or the role of a Lambda of no group. Whatever deletes the Lambdas deletes these. */
  readonly groups: ReadonlyMap<string, Construct>;
  /** Puts the organization into access tokens. Absent without a user pool. */
  readonly tokenTrigger: LambdaFunction | undefined;

  constructor(scope: Construct, id: string, { entries, ...props }: FunctionsProps) {
    super(scope, id);
    const deployed = entries.filter(({ id }) => id !== preTokenGeneration || props.identity.pool);
    const made = [...Map.groupBy(deployed, ({ group }) => group)].map(
      ([group, some]) => [group, this.makeGroup(group, some, props)] as const,
    );
    this.groups = new Map(made.map(([group, { stack, role }]) => [group, stack ?? role]));
    this.tokenTrigger = made.flatMap(([, { byId }]) => byId[preTokenGeneration] ?? [])[0];
    props.releases?.orderWaves();
  }

  private makeGroup(group: string, some: readonly LambdaEntry[], props: Omit<FunctionsProps, 'entries'>) {
    const description = `Lambdas of the group ${group}`;
    const stack = some.every(isOfNoGroup) ? undefined : new NestedStack(this, group, { description });
    const { role, byId } = addLambdas(stack ?? this, group, some, props);
    // Each version would have instances of its own.
    const released = some.filter(({ id }) => !isManaged(id, props.settings));
    const aliases = props.releases?.release(group, released, byId, stack);
    const targetOf = (id: string) => aliases?.[id] ?? byId[id]?.functionArn;
    addEventSources(stack ?? this, group, { role, targetOf, ...props });
    return { stack, role, byId };
  }
}

interface LambdaProps extends EnvironmentProps {
  bundles: Bundles;
}

/** Adds the Lambdas of a group, with the role and the log group that they share. */
function addLambdas(
  scope: Construct,
  group: string,
  some: readonly LambdaEntry[],
  { bundles, ...props }: LambdaProps,
) {
  const { settings, stores } = props;
  const role = groupRole(scope, group, new Set(some.flatMap(({ uses }) => uses)), stores);
  const logGroup = logGroupFor(scope, `${group}-log`, settings);
  logGroup.grantWrite(role);
  const makeFunction = ({ id, uses, timeoutSeconds, memoryMb, recursiveLoop }: LambdaEntry) => {
    const reservedConcurrency = id === 'authorizer' && settings.authorizersReserved;
    const onInstances = isManaged(id, settings);
    return new LambdaFunction(scope, id, {
      functionName: nameFunction(id, settings),
      role,
      logGroup,
      code: Code.fromAsset(bundleFolder(bundles, id)),
      ...howBundlesRun,
      memorySize: onInstances ? managedEnvironment.memoryMb : memoryMb,
      timeout: Duration.seconds(timeoutSeconds),
      tracing: Tracing.ACTIVE,
      // Instances accept no other. Our lines are JSON in both, because they do not pass by `console`.
      loggingFormat: onInstances ? LoggingFormat.JSON : LoggingFormat.TEXT,
      // Lambda's default is to terminate.
      ...(recursiveLoop === 'Allow' && { recursiveLoop: RecursiveLoop.ALLOW }),
      ...(reservedConcurrency && { reservedConcurrentExecutions: reservedConcurrency }),
      environment: lambdaVariables(uses, props),
    });
  };
  const byId: Record<string, LambdaFunction | undefined> = Object.fromEntries(
    some.map((entry) => [entry.id, makeFunction(entry)]),
  );
  const managed = some.flatMap(({ id }) => (isManaged(id, settings) && byId[id]) || []);
  if (managed.length > 0) new ManagedInstances(scope, 'instances', settings.env).run(managed);
  return { role, byId };
}
