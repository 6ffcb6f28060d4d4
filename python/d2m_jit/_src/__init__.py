"""The parts of d2m_jit."""
