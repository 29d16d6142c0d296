import { type RefObject, useLayoutEffect, useState } from 'react';

/** How far below the top of the page an element begins: what is above it may grow and shrink. */
export function useElementTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () =>
      setTop(Math.round((element.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return top;
}
