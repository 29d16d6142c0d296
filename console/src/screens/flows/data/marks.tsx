import { createContext, type ReactNode, useContext, useState } from 'react';
import type { Marked, PointedVariable } from './marked-steps.ts';

const nothing: Marked = { variable: undefined, steps: new Map() };
const Now = createContext(nothing);
const SetNow = createContext<(marked: Marked) => void>(() => {});

export function Marks({ children }: { children: ReactNode }) {
  const [marked, setMarked] = useState(nothing);
  return (
    <SetNow value={setMarked}>
      <Now value={marked}>{children}</Now>
    </SetNow>
  );
}

export const usePointed = () => useContext(Now).variable;

/** Whether somebody points at this variable, here or where it comes from. */
export function useIsPointed({ name, setterId }: PointedVariable): boolean {
  const pointed = usePointed();
  return pointed !== undefined && pointed.name === name && pointed.setterId === setterId;
}

/** Says at a step what it has to do with the variable that somebody points at. */
export function VariableMark({ stepId }: { stepId: string }) {
  const text = useContext(Now).steps.get(stepId);
  return text ? <span className="step-mark">{text}</span> : null;
}

export function useSetMarked(): (marked: Marked | undefined) => void {
  const set = useContext(SetNow);
  return (marked) => set(marked ?? nothing);
}

/** For an element that marks steps while one points at it, or it has the focus. */
export function useMarking(marked: () => Marked | undefined) {
  const set = useSetMarked();
  const on = () => set(marked());
  const off = () => set(undefined);
  return { onPointerEnter: on, onPointerLeave: off, onFocus: on, onBlur: off };
}
