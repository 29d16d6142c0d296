import { RemovalPolicy } from 'aws-cdk-lib';
import type { Settings } from './settings.ts';

/**
 * What happens to data when its resource leaves the stack. Data that is kept is still deleted when the deployment that
 * creates it fails: otherwise each try would leave an empty resource behind.
 */
export const retentionPolicy = ({ keepsData }: Pick<Settings, 'keepsData'>) =>
  // D159
  keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;

/**
 * For resources with deletion protection. CloudFormation cannot delete these after a failed deployment and would stop
 * in ROLLBACK_FAILED, so they are left behind. Their names are generated and do not block the next try.
 */
export const protectedRetentionPolicy = ({ keepsData }: Pick<Settings, 'keepsData'>) =>
  keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
