/*
 * Lets User-Mode Linux up to 6.1x run on hosts whose FP state is larger than it knows (AMX).
 *
 * UML saves and restores the FP state of its processes with PTRACE_{GET,SET}REGSET and a buffer of
 * fixed size. The host's kernel refuses to set a state that is not whole (arch/x86/kernel/fpu/
 * regset.c, xstateregs_set), so UML kills its first process. Preloaded, this puts UML's part into
 * the whole state that the process has at that moment.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

#define WHOLE 65536
#define HEADER 512 /* where XSTATE_BV, the list of parts in use, stands in the state */

typedef long (*tracer)(int, pid_t, void *, void *);

long ptrace(enum __ptrace_request request, ...)
{
	static tracer next;
	static unsigned char whole[WHOLE] __attribute__((aligned(64)));
	va_list arguments;

	va_start(arguments, request);
	pid_t pid = va_arg(arguments, pid_t);
	void *address = va_arg(arguments, void *);
	void *value = va_arg(arguments, void *);
	va_end(arguments);
	if (!next)
		next = (tracer)dlsym(RTLD_NEXT, "ptrace");
	if (request != PTRACE_SETREGSET || (uintptr_t)address != NT_X86_XSTATE)
		return next(request, pid, address, value);

	struct iovec *given = value;
	struct iovec all = {whole, WHOLE};
	long answer = next(PTRACE_GETREGSET, pid, address, &all);
	if (answer < 0)
		return answer;
	if (given->iov_len < all.iov_len) {
		uint64_t parts;
		memcpy(whole, given->iov_base, given->iov_len);
		memcpy(&parts, whole + HEADER, sizeof parts);
		parts &= 0xff; /* x87, SSE, AVX, AVX-512: what lies within UML's buffer */
		memcpy(whole + HEADER, &parts, sizeof parts);
		all.iov_base = whole;
		return next(request, pid, address, &all);
	}
	return next(request, pid, address, value);
}
