import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { buildBundles } from './bundles.ts';
import { environments, isEnvironmentName } from './environments.ts';
import { ServiceStack } from './service-stack.ts';

const app = new App();
const name: unknown = app.node.tryGetContext('env');
if (!isEnvironmentName(name)) {
  throw new Error(`-c env=${String(name)}: expected one of ${Object.keys(environments).join(', ')}`);
}
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
new ServiceStack(app, `AgentFlowService-${name}`, {
  environment: { name, ...environments[name] },
  bundles: await buildBundles('cdk.out/bundles'),
});
app.synth();
