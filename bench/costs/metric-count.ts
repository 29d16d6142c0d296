import { callerClasses, type Dimensions, metrics } from '../../shared/core/metrics.ts';

/** How many metrics CloudWatch makes of the service's own for a number of groups, if each is sent. */
export function metricCount(groupCount: number): number {
  const values: Record<keyof Dimensions, number> = { group: groupCount, callerClass: callerClasses.length };
  const lists = Object.values(metrics).flatMap(({ by }): readonly (readonly (keyof Dimensions)[])[] => by);
  return lists.reduce((sum, list) => sum + list.reduce((product, name) => product * values[name], 1), 0);
}
