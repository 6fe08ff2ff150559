/** Whether the browser can draw a map. */
export const hasWebGl = (): boolean => document.createElement('canvas').getContext('webgl2') !== null;
