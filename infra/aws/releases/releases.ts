import { NestedStack } from 'aws-cdk-lib';
import { CfnApplication } from 'aws-cdk-lib/aws-codedeploy';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type LambdaEntry, preTokenGeneration } from '../conventions/entries.ts';
import { allowOnFunctions } from '../conventions/own-functions.ts';
import { roleFor } from '../conventions/service-trust.ts';
import type { Settings } from '../conventions/settings.ts';
import { acknowledgeWildcard, allowActions } from '../conventions/statements.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import { addRelease } from './release.ts';

interface ReleasesProps {
  settings: Settings;
  /** Alarms stop a release, so they exist before it. */
  monitoring: Monitoring;
}

/**
 * Canary releases: each Lambda has an alias, to which API Gateway, queues and timers send. CodeDeploy moves the alias to
 * a new version in steps, and back when an alarm sounds. The aliases of a group are in its stack, those of a Lambda of no
 * group in a nested stack of their own. The stacks are updated in waves, because Lambda allows about 15 changes a second and
 * one that it throttles rolls back the whole deployment.
 */
export class Releases extends Construct {
  private readonly monitoring: Monitoring;
  private readonly application: CfnApplication;
  private readonly role: Role;
  private readonly released = new Map<string, { stack: NestedStack; some: readonly LambdaEntry[] }>();

  constructor(scope: Construct, id: string, { settings, monitoring }: ReleasesProps) {
    super(scope, id);
    this.monitoring = monitoring;
    this.application = new CfnApplication(this, 'application', { computePlatform: 'Lambda' });
    this.role = this.makeRole(settings);
  }

  /**
   * Releases the Lambdas of a group. Cognito's trigger has no release: the pool names the Lambda itself.
   * @param nestedStack The stack of the group; without one, the releases are a nested stack of their own.
   * @returns The ARNs of the aliases, by the id of the Lambda.
   */
  release(
    group: string,
    entries: readonly LambdaEntry[],
    lambdas: Readonly<Record<string, LambdaFunction | undefined>>,
    nestedStack?: NestedStack,
  ): Record<string, string> {
    const some = entries.filter(({ id }) => id !== preTokenGeneration);
    if (some.length === 0) return {};
    const stack =
      nestedStack ?? new NestedStack(this, group, { description: `Releases of the group ${group}` });
    stack.node.addDependency(this.monitoring, this.role);
    this.released.set(group, { stack, some });
    const owner = { applicationName: this.application.ref, serviceRoleArn: this.role.roleArn };
    const aliasOf = (entry: LambdaEntry) => {
      const lambda = lambdas[entry.id];
      if (!lambda) throw new Error(`The Lambda ${entry.id} is missing`);
      const alarms = this.monitoring.alarmsThatStop(entry.id);
      return addRelease(stack, entry, { ...owner, lambda, alarms }).ref;
    };
    return Object.fromEntries(some.map((entry) => [entry.id, aliasOf(entry)]));
  }

  /** Has the stacks of each wave wait for those of the one before (D174). */
  orderWaves(): void {
    let before: NestedStack[] = [];
    for (const wave of deploymentWaves([...this.released.values()].flatMap(({ some }) => some))) {
      const stacks = wave.flatMap(([group]) => this.released.get(group)?.stack ?? []);
      for (const stack of stacks) stack.node.addDependency(...before);
      before = stacks;
    }
  }

  private makeRole(settings: Settings): Role {
    const role = roleFor(this, 'role', 'codedeploy.amazonaws.com', 'Lets CodeDeploy move aliases of Lambdas');
    const actions = ['GetAlias', 'UpdateAlias', 'GetProvisionedConcurrencyConfig'];
    allowOnFunctions(
      role,
      settings.env,
      actions.map((action) => `lambda:${action}`),
    );
    allowActions(role, ['cloudwatch:DescribeAlarms'], ['*']);
    acknowledgeWildcard(role, '*', 'The action supports no resources.');
    return role;
  }
}

/** The most aliases that a release may move at once. */
const aliasesAtOnce = 60;

type Group = [name: string, entries: LambdaEntry[]];

/** The groups in waves, the largest groups first. A group that no wave has room for begins another. */
function deploymentWaves(released: readonly LambdaEntry[]): Group[][] {
  const waves: { groups: Group[]; room: number }[] = [];
  const groups = [...Map.groupBy(released, ({ group }) => group)];
  for (const group of groups.toSorted(([, one], [, other]) => other.length - one.length)) {
    const size = group[1].length;
    const wave = waves.find(({ room }) => room >= size) ?? { groups: [], room: aliasesAtOnce };
    if (wave.groups.length === 0) waves.push(wave);
    wave.groups.push(group);
    wave.room -= size;
  }
  return waves.map(({ groups }) => groups);
}
