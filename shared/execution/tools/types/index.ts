import type { ToolTypeName } from '../../../domain/tools/tool-types/index.ts';
import type { RuntimeOnlyTypeName } from '../../../domain/tools/tool-types/runtime-types.ts';
import type { AnyToolRunner } from '../../tool-support/tool-runner.ts';
import { advisorToolRunner } from './advisor.ts';
import { customToolRunner } from './custom.ts';
import { externalToolRunner } from './external.ts';
import { flowToolRunner } from './flow.ts';
import { graphqlToolRunner } from './graphql.ts';
import { localToolRunner } from './local.ts';
import { mcpToolRunner } from './mcp.ts';
import { searchToolRunner } from './search.ts';
import { subagentToolRunner } from './subagent.ts';

const runners: Record<ToolTypeName | RuntimeOnlyTypeName, AnyToolRunner> = {
  flow: flowToolRunner,
  custom: customToolRunner,
  external: externalToolRunner,
  graphql: graphqlToolRunner,
  mcp: mcpToolRunner,
  local: localToolRunner,
  advisor: advisorToolRunner,
  search: searchToolRunner,
  subagent: subagentToolRunner,
};

export const findToolRunner = (type: string): AnyToolRunner | undefined =>
  Object.hasOwn(runners, type) ? runners[type as keyof typeof runners] : undefined;
