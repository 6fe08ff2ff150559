import { type FunctionComponent, type ReactNode, useEffect, useState } from 'react';

interface State<Props> {
  Shown: FunctionComponent<Props> | undefined;
  error?: unknown;
}

/**
 * A component whose file is loaded when it is shown for the first time. React's `lazy` keeps the fallback of its `Suspense` for
 * 300 ms or more, even if the file is already loaded, and the requests of the component would begin only after that.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  meanwhile: ReactNode = null,
): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | undefined;
  return function LazyComponent(props: Props) {
    const [state, setState] = useState<State<Props>>({ Shown: loaded });
    const { Shown } = state;
    useEffect(() => {
      if (Shown !== undefined) return undefined;
      let isOver = false;
      const show = async (): Promise<void> => {
        try {
          loaded = await load();
          if (!isOver) setState({ Shown: loaded });
        } catch (error) {
          if (!isOver) setState({ Shown: undefined, error });
        }
      };
      void show();
      return () => {
        isOver = true;
      };
    }, [Shown]);
    if (state.error !== undefined) throw state.error;
    return Shown === undefined ? meanwhile : <Shown {...props} />;
  };
}
