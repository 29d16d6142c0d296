import { createContext, type ReactNode, useContext, useState } from 'react';

/** What steps have to do with the variable that somebody points at, by their ids: `sets city`. */
type Marked = ReadonlyMap<string, string>;

const none: Marked = new Map();
const Marked = createContext(none);
const SetMarked = createContext<(marked: Marked) => void>(() => {});

export function Marks({ children }: { children: ReactNode }) {
  const [marked, setMarked] = useState(none);
  return (
    <SetMarked value={setMarked}>
      <Marked value={marked}>{children}</Marked>
    </SetMarked>
  );
}

/** Says at a step what it has to do with the variable that somebody points at. */
export function Mark({ stepId }: { stepId: string }) {
  const text = useContext(Marked).get(stepId);
  return text ? <span className="step-mark">{text}</span> : null;
}

/** For an element that marks steps while one points at it, or it has the focus. */
export function useMarking(marked: () => Marked) {
  const set = useContext(SetMarked);
  const on = () => set(marked());
  const off = () => set(none);
  return { onPointerEnter: on, onPointerLeave: off, onFocus: on, onBlur: off };
}
