import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { entries } from './conventions/entries.ts';
import { stackName } from './conventions/names.ts';
import { parseSettings } from './conventions/settings.ts';
import { buildBundles, teardownLambda } from './lambdas/bundles.ts';
import { RegionStack } from './region-stack.ts';
import { ServiceStack } from './service-stack.ts';

const app = new App();
const settings = parseSettings(app.node.getAllContext());
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
const service = new ServiceStack(app, stackName(settings.env), {
  settings,
  bundles: await buildBundles([...entries, teardownLambda], 'cdk.out/bundles'),
});
service.addStackDependency(new RegionStack(app));
app.synth();
