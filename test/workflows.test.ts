import { readFileSync } from 'node:fs';
import { parseYaml } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { environments } from '../infra/aws/environments.ts';

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}
interface Workflow {
  on: Record<string, { inputs?: { environment: { options: string[] } }; tags?: string[] } | null>;
  permissions: Record<string, string>;
  jobs: Record<string, { permissions?: Record<string, string>; environment?: string; steps: Step[] }>;
}

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const workflows = Object.fromEntries(
  ['ci', 'deploy'].map((name) => [name, parseYaml(read(`.github/workflows/${name}.yml`)) as Workflow]),
) as Record<'ci' | 'deploy', Workflow>;
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps);
const commandsOf = (workflow: Workflow) => stepsOf(workflow).flatMap(({ run }) => run ?? []);

test('CI runs .ci/run with read access alone', () => {
  expect(commandsOf(workflows.ci)).toContain('.ci/run');
  expect(workflows.ci.permissions).toEqual({ contents: 'read' });
  expect(Object.values(workflows.ci.jobs).every(({ permissions }) => permissions === undefined)).toBe(true);
});

test('a deployment compares, deploys and checks, in an environment that can be protected', () => {
  const [job] = Object.values(workflows.deploy.jobs);
  expect(job?.environment).toContain('inputs.environment');
  expect(commandsOf(workflows.deploy).map((command) => command.split(' ').slice(0, 3).join(' '))).toEqual([
    'npm ci',
    'npx cdk diff',
    'npx cdk deploy',
    'npm run migrate',
    'npm run doctor',
  ]);
  const { inputs } = workflows.deploy.on.workflow_dispatch ?? {};
  expect(inputs?.environment.options).toEqual(Object.keys(environments));
});

test('a deployment has a token of OIDC and no stored credential', () => {
  const [job] = Object.values(workflows.deploy.jobs);
  expect([workflows.deploy.permissions, job?.permissions]).toEqual([
    { contents: 'read' },
    { contents: 'read', 'id-token': 'write' },
  ]);
  expect(read('.github/workflows/deploy.yml')).not.toMatch(/secrets\.|aws-access-key/);
});

test('every action has a version, and every npm script exists', () => {
  const { scripts } = JSON.parse(read('package.json'));
  for (const workflow of Object.values(workflows)) {
    for (const { uses } of stepsOf(workflow)) if (uses) expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
    for (const command of commandsOf(workflow)) {
      const script = /^npm run ([\w:-]+)/.exec(command)?.[1];
      if (script) expect(scripts).toHaveProperty([script]);
    }
  }
});

test('no input or variable becomes part of a script’s text, where it could run as code', () => {
  for (const workflow of Object.values(workflows))
    for (const command of commandsOf(workflow)) expect(command).not.toContain('${{');
});
