import { useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';

/** Screens by path, such as `/flows/$flowId`. Each is loaded when somebody opens it. */
export type Screens = Readonly<Record<string, () => Promise<{ default: ComponentType }>>>;

/** Turns `() => import('./list.tsx')` and the name of its component into an entry of `Screens`. */
export const screen =
  <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  async () => ({ default: (await load())[name] });

/** A parameter in the address of this screen. */
export function useParam(name: string): string {
  const params: Record<string, string | undefined> = useParams({ strict: false });
  const value = params[name];
  if (value === undefined) throw new Error(`The address has no ${name}`);
  return value;
}
