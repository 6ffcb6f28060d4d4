/* doctor.h: `tilewright doctor`: what is installed, and whether a program runs. */
#ifndef TILEWRIGHT_TOOLS_DOCTOR_H
#define TILEWRIGHT_TOOLS_DOCTOR_H

/* Prints its findings; returns the exit status. */
int doctor(void);

#endif
