import { type Browser, chromium } from 'playwright-core';
import { findProgram } from './programs.ts';

/** Draws WebGL without a graphics card. */
export const SOFTWARE_WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];

/**
 * A Chromium without windows. Debian's headless shell has the engine and no user interface of a browser, and needs half of the CPU
 * time of a whole Chromium that shows nothing.
 */
export const launchBrowser = (
  args: readonly string[] = ['--disable-gpu'],
  executablePath = findProgram('chromium-headless-shell'),
): Promise<Browser> => chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });
