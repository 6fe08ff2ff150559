import { type Browser, chromium } from 'playwright-core';
import { findProgram } from './programs.ts';

/** Options with which Chromium draws WebGL without a graphics card. */
export const SOFTWARE_WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];

/**
 * Starts a Chromium without windows. Debian's headless shell has no user interface, and needs half of the CPU time of a full
 * Chromium in headless mode.
 */
export const launchBrowser = (
  args: readonly string[] = ['--disable-gpu'],
  executablePath = findProgram('chromium-headless-shell'),
): Promise<Browser> => chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });
